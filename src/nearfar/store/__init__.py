"""Answers in files: written whole or not at all, and read back so that they can be verified."""
