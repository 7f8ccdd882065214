"""Bytes from and to files, pipes and URLs, compressed or not.

files          Source and Sink, through which all formats read and write
locations      local files, standard input and output, URLs: their names in messages, and how they are opened
compression    .gz, .xz, .bz2, .zst and .zip
ahead          a thread that reads and decompresses the next blocks
whole          files that appear as a whole or not at all; targets.py: whether a file can be written
archive        arrays in .npz files
library        errors of other libraries, and missing ones
"""
