"""Imports torch once, then runs programs that use it, each in a process of its own.

Reads a JSON object a line: {"dir": …, "argv": [script, …], "output": …}; writes the exit code of each.
"""

import json
import os
import runpy
import sys

import torch

torch.set_num_threads(1)
try:  # come before all other programs on the machine, where that is allowed
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
except (AttributeError, OSError):
    pass
# What torch imports only when it is used, it imports here, once.
weight = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([weight])
weight.sum().backward()
optimizer.step()
print("ready", flush=True)
for line in sys.stdin:
    task = json.loads(line)
    child = os.fork()
    if child == 0:
        out = os.open(task["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.chdir(task["dir"])
        sys.argv = task["argv"]
        code = 1
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
            code = 0
        finally:
            sys.stdout.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
