"""The self-test of a device (``nearfar selftest``): every method, type and query, each answer proved.

runs      the whole: devices, queries, the report line by line
cases     which queries there are
graphs    the graphs of the test
checks    one query in this process: asked on the device, compared with the CPU's answer
child     one query in a worker process, with a limit; worker.py is the other end
launches  every launch, noted where the parent can read it
report    the findings, as text and as JSON
"""

from .runs import run as run
