"""Text files: rows of numbers at the speed of a compiled loop, and what the first lines of an edge list tell."""
