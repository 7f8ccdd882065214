"""The CUDA text executed on the CPU: compiled by g++ over a shim, driven by a stand-in for CuPy.

shim.hpp has CUDA's words, compiler.py makes a library of a program's text, standin.py has the calls of CuPy that
devices/cuda.py makes, faults.py has mistakes to plant.
"""
