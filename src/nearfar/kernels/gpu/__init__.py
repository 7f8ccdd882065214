"""The kernels for GPUs: plain C over the words that opencl.h and cuda.h both define; types.h: distances as keys."""
