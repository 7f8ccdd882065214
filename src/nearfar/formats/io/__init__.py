"""Bytes from and to files, pipes and addresses, compressed or not; whole.py: files that appear whole or not at all."""
