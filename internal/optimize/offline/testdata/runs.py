"""Runs programs one after the other, each in a process of its own that need not import torch again.

Each line of standard input is a JSON object: "modules" that the programs need besides, and "programs", a list of
{"dir", "argv", "env"}. The answer is a line with a list of {"code", "output"}.
"""

import importlib
import json
import os
import runpy
import sys
import tempfile

import numpy  # noqa: F401
import scipy.io.wavfile  # noqa: F401
import scipy.signal  # noqa: F401
import torch._dynamo  # noqa: F401  the first optimizer step would import it
import torch.utils.data  # noqa: F401


def run(program):
    output = tempfile.TemporaryFile()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        os.chdir(program["dir"])
        os.environ.update(program.get("env") or {})
        sys.argv = program["argv"]
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
        code = 0
        try:
            runpy.run_path(os.path.abspath(sys.argv[0]), run_name="__main__")
        except SystemExit as leaving:
            code = leaving.code or 0
            if not isinstance(code, int):
                print(code)
                code = 1
        except BaseException:
            import traceback

            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    _, status = os.waitpid(child, 0)
    output.seek(0)
    return {"code": os.waitstatus_to_exitcode(status), "output": output.read().decode("utf-8", "replace")}


for line in iter(sys.stdin.readline, ""):
    asked = json.loads(line)
    for name in asked["modules"] or []:
        importlib.import_module(name)
    print(json.dumps([run(program) for program in asked["programs"]]), flush=True)
