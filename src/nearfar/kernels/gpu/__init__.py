"""The kernels for GPUs: plain C with macros that opencl.h and cuda.h both define; types.h: distances as keys."""
