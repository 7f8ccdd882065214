"""Text files: rows of numbers, parsed by a compiled loop, and the guesses about edge lists.

reader     LineLayout, which describes the lines of a format; Text, which reads them
headers    header lines with sizes, whole columns, coordinates in the order of the vertices
faults     messages about wrong lines
words      vertices whose names are words
guess      how to read an edge list, from its first lines; sample.py: which column is what
writing    arcs as lines of text
"""
