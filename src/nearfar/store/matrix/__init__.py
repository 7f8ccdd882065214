"""Distance matrices on disk, as plain Zarr v3: blocks of rows that are whole or absent, in jobs that can be stopped.

door       from ``apsp(graph, out="d.zarr")`` to a job
writer     what a job decides, and how it goes on; asked: what must be the same for that
job        the job itself: settle (settling), compress (codec), write (places, locks); estimate: what it will take
reader     `Matrix`, `open_matrix`
form       how rows make blocks, and columns parts; order: which rows share a block; bounds: the type that holds all
metadata   the documents of Zarr, under a digest; labels: names of rows and columns
check      whether blocks are what was written
"""
