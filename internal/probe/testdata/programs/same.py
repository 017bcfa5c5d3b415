"""Tells all that a program can see of how it was started, and makes steps, so that what it imports is learnt."""

import json
import os
import signal
import sys

os.environ["OF_THE_PROGRAM"] = "1"

import multiprocessing
import torch
from torch.utils.data import DataLoader


class Squares:
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.tensor([float(i * i)])


def shout(queue, text):
    queue.put(text.upper() + str(os.getpgrp() == int(os.environ["GROUP"])))


def long():
    spawn = multiprocessing.get_context("spawn")
    queue = spawn.Queue()
    os.environ["GROUP"] = str(os.getpgrp())
    child = spawn.Process(target=shout, args=(queue, "spawned"))
    child.start()
    spawned = queue.get()
    child.join()
    del os.environ["GROUP"]
    return {
        "spawned": spawned,
        "exitcode": child.exitcode,
        "loaded": [sum(b.sum().item() for b in DataLoader(Squares(), batch_size=2, num_workers=n)) for n in (0, 2)],
    }


def told():
    return {
        "argv": sys.argv,
        "orig_argv": sys.orig_argv,
        "file": __file__,
        "name": __name__,
        "main": sorted(vars(sys.modules["__main__"])),
        "kinds": [repr(v) for v in (getattr(__spec__, "name", None), __package__, __loader__.__class__, __doc__)],
        "path": sys.path,
        "cwd": os.getcwd(),
        "environ": {k: v for k, v in os.environ.items() if not k.startswith(("SATURATE", "TMP"))},
        "flags": repr(sys.flags),
        "hash": hash("text"),
        "random": torch.rand(2).tolist(),
        "stdin": sys.stdin.read(),
        "tty": [s.isatty() for s in (sys.stdin, sys.stdout, sys.stderr)],
        "umask": os.umask(0o22),
        "int": repr(signal.getsignal(signal.SIGINT)),
        "executable": sys.executable,
        "threads": [torch.get_num_threads(), torch.get_num_interop_threads()],
        "product": torch.mm(torch.ones(300, 300), torch.ones(300, 300)).sum().item(),
        "fds": sorted(os.listdir("/proc/self/fd")),
        "leader": os.getpid() == os.getsid(0),
    }


if __name__ == "__main__":
    sys.stderr.write("complains\n")
    text = {**told(), **(long() if len(sys.argv) == 1 else {})}
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(6):
        optimizer.zero_grad()
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
    print(json.dumps(text))
    match sys.argv[1:2]:
        case ["exit"]:
            sys.exit(7)
        case ["message"]:
            sys.exit("says why")
        case ["crash"]:
            raise ValueError("planted")
        case ["abort"]:
            os.abort()
        case ["interrupt"]:
            os.kill(os.getpid(), signal.SIGINT)
            signal.pause()
