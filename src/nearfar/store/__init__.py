"""Result files: the answers of queries, written as a whole or not at all, and read back to be verified.

door       from ``out="d.zarr"`` or ``out="t.parquet"`` to a file; matrix: stored matrices
sheets     the one writer of tables: .csv, .csv.gz and .parquet; labels: what they call vertices
lines      the lines of answers, and how sources share a row group
streams    answers that are written while they are found; written: what is returned then
writing    answers in memory: also into .npy and .npz
columns    tables of any columns, written and read
reading    answers read back: .npz and .npy; tables.py: .csv, .csv.gz and .parquet
answers    the classes of answers that come from files
"""
