"""The loops: cpu/ for Numba, gpu/ the text for OpenCL and CUDA, jit.py how the former are compiled and cached."""
