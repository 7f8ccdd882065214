"""The self-test of a device (``nearfar selftest``): every method, type and query, each answer proved.

checks    which queries run, and how their answers are compared with the CPU's
graphs    the graphs of the test
report    the findings, as text and as JSON
"""

from .checks import run as run
