"""Result files: the answers of queries, written as a whole or not at all, and read back to be verified.

writing    distances, nearest sources and tables of pairs into .npy, .npz, .csv, .csv.gz and .parquet
reading    the same files back: .npz and .npy; tables.py: .csv, .csv.gz and .parquet
answers    the classes of answers that come from files
"""
