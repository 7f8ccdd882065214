"""Beyond memory and beyond one machine: graphs converted on disk, partitions, clusters."""
