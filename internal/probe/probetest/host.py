"""Imports torch once, then runs programs that use it, each in a process of its own.

    host.py SOCKET              serves
    host.py SOCKET train.py …   asks a server to run a program here, and ends as it ends
    host.py SOCKET --ranks N train.py …   the same with so many ranks of it, as torchrun would

The program has the asker's folder, variables, output and process group, and starts as Python starts: with the sitecustomize
that PYTHONPATH leads to, which is the probe's where a program is watched.
"""

import array
import json
import os
import select
import signal
import socket
import sys


def address(path):
    """Without a file where that is possible: a confined program sees files through an overlay, and sockets do not pass it."""
    return "\0" + path if sys.platform == "linux" else path


def serve(path):
    import torch

    torch.set_num_threads(1)
    weight = torch.zeros(1, requires_grad=True)  # what torch imports only when it is used, it imports here, once
    optimizer = torch.optim.Rprop([weight])  # programs use another: torch changes the class of one that was made
    weight.sum().backward()
    optimizer.step()
    server = socket.socket(socket.AF_UNIX)
    server.bind(address(path))
    server.listen(64)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who answer
    print("ready", flush=True)
    while server in select.select([server, sys.stdin], [], [])[0]:  # until the asker's end of stdin is closed
        client, _ = server.accept()
        if os.fork() == 0:
            server.close()
            answer(client)
        client.close()


def answer(client):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size = array.array("i").itemsize
    first, passed, _, _ = client.recvmsg(1 << 16, socket.CMSG_LEN(3 * size))
    streams = array.array("i")
    streams.frombytes(passed[0][2])
    text = first
    while not text.endswith(b"\n"):
        text += client.recv(1 << 16)
    program = os.fork()
    if program == 0:
        client.close()
        run(json.loads(text), streams)
    _, status = os.waitpid(program, 0)
    try:
        client.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
    except OSError:
        pass  # the asker was killed with the program
    os._exit(0)


def run(task, streams):
    import atexit
    import threading
    import types

    os.setpgid(0, task["group"])
    for at, stream in enumerate(streams):
        os.dup2(stream, at)
    os.environ.clear()
    os.environ.update(task["env"])
    os.chdir(task["dir"])
    sys.argv = task["argv"]
    folder = os.path.dirname(os.path.abspath(sys.argv[0]))
    sys.path[:1] = [*filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    sys.modules.pop("sitecustomize", None)
    code = 1
    try:
        try:
            import sitecustomize  # noqa: F401
        except ModuleNotFoundError:
            pass
        sys.path.insert(0, folder)
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        main.__file__ = sys.argv[0]
        with open(sys.argv[0], "rb") as file:
            exec(compile(file.read(), sys.argv[0], "exec"), main.__dict__)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code & 255)


def ask(path, argv):
    ranks = [{}]
    if argv[0] == "--ranks":
        world, argv = argv[1], argv[2:]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1]), "WORLD_SIZE": world, "LOCAL_WORLD_SIZE": world}
        ranks = [{**place, "RANK": str(rank), "LOCAL_RANK": str(rank)} for rank in range(int(world))]
    servers = []
    for rank in ranks:
        servers.append(socket.socket(socket.AF_UNIX))
        servers[-1].connect(address(path))
        task = {"env": {**os.environ, **rank}, "dir": os.getcwd(), "argv": argv, "group": os.getpgrp()}
        socket.send_fds(servers[-1], [(json.dumps(task) + "\n").encode()], [0, 1, 2])
    codes = [int(server.makefile().readline()) for server in servers]
    code = next(filter(None, codes), 0)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1]) if len(sys.argv) == 2 else ask(sys.argv[1], sys.argv[2:])
