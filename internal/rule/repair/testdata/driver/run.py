"""Runs each program before and after its repairs, every time in a process of its own.

What the programs import is imported once, before the processes are forked, except jax: it starts threads.
"""
import ast
import faulthandler
import multiprocessing.util
import os
import runpy
import sys
import tempfile
import traceback

import torch._dynamo  # noqa: F401  takes seconds

sys.path.append(os.path.dirname(os.path.abspath(__file__)))  # what stands in for packages that are not installed


def import_once(program):
    with open(program) as f:
        for statement in ast.parse(f.read()).body:
            if isinstance(statement, (ast.Import, ast.ImportFrom)) and "jax" not in ast.unparse(statement):
                exec(compile(ast.Module([statement], []), program, "exec"), {})


def run(program):
    program = os.path.abspath(program)
    os.dup2(os.open(program + ".out", os.O_CREAT | os.O_WRONLY), 1)
    os.chdir(tempfile.mkdtemp(dir=os.path.dirname(program)))
    sys.argv[1:] = []
    failed = 0
    faulthandler.dump_traceback_later(60, exit=True, file=sys.stdout)  # none takes more than seconds
    try:
        runpy.run_path(program, run_name="__main__")
    except BaseException:
        failed = 1
        traceback.print_exc(file=sys.stdout)
    sys.stdout.flush()
    multiprocessing.util._exit_function()
    os._exit(failed)


for name in sys.argv[1:]:
    import_once(os.path.join("before", name))
for name in sys.argv[1:]:
    for side in ("before", "after"):
        child = os.fork()
        if child == 0:
            run(os.path.join(side, name))
        os.waitpid(child, 0)
