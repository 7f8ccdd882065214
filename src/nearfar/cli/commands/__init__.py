"""One module per command; the table COMMANDS in cli/group.py lists them."""
