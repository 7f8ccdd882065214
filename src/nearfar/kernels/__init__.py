"""The inner loops: cpu/ for Numba, gpu/ for OpenCL and CUDA; jit.py: how the former are compiled and cached."""
