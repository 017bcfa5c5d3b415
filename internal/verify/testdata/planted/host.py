"""Imports torch once, then runs programs that use it, each in a process of its own, under the probe if its variable is set.

    host.py SOCKET          serves
    host.py SOCKET train.py …   asks a server to run a program here, with these variables, and ends as it ends
"""

import json
import os
import runpy
import socket
import sys


def serve(path):
    import torch

    torch.set_num_threads(1)
    weight = torch.zeros(1, requires_grad=True)  # what torch imports only when it is used, it imports here, once
    optimizer = torch.optim.SGD([weight])
    weight.sum().backward()
    optimizer.step()
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    print("ready", flush=True)
    while True:
        client, _ = server.accept()
        task = json.loads(client.makefile().readline())
        child = os.fork()
        if child == 0:
            server.close()
            run(task)
        _, status = os.waitpid(child, 0)
        client.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
        client.close()


def run(task):
    import atexit

    out = os.open(task["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.environ.clear()
    os.environ.update(task["env"])
    os.chdir(task["dir"])
    sys.argv = task["argv"]
    sys.path[:0] = [task["dir"], *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    code = 1
    try:
        if "SATURATE_PROBE" in os.environ:
            import saturate_probe

            saturate_probe.start()
        runpy.run_path(sys.argv[0], run_name="__main__")
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code)


def ask(path, argv):
    output = path + ".output"
    server = socket.socket(socket.AF_UNIX)
    server.connect(path)
    task = {"env": dict(os.environ), "dir": os.getcwd(), "argv": argv, "output": output}
    server.sendall((json.dumps(task) + "\n").encode())
    code = int(server.makefile().readline())
    with open(output) as said:
        sys.stderr.write(said.read())
    os.remove(output)
    os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1]) if len(sys.argv) == 2 else ask(sys.argv[1], sys.argv[2:])
