"""One file per kind of picture; the table is `nearfar.draw.PICTURES`."""
