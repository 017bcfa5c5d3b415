"""What a sampled program may do beside training: fork, exec, start programs, handle signals, recurse to the limit."""

import os
import signal
import subprocess
import sys
import threading
import time

import torch

if "thread" not in sys.argv:
    signal.signal(signal.SIGALRM, lambda *_: alarms.append(1))
alarms, model = [], torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def exits(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def child(do):
    pid = os.fork()
    if pid == 0:
        try:
            do()
        finally:
            os._exit(3)
    return exits(pid)


def deep(n):
    return n if n == 0 else deep(n - 1)


def forever():
    return forever()


def train():
    for step in range(40):
        model(torch.ones(4, 8)).square().mean().backward()
        optimizer.step()
        spin(0.01)
        if step == 10:
            said = child(lambda: spin(0.1)), child(lambda: os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(0.3)"]))
            print("children", said, subprocess.run(["sleep", "0.2"]).returncode)
        if step == 20:
            began = time.monotonic()
            time.sleep(0.2)
            print("slept", time.monotonic() - began >= 0.2)
        if step == 30:
            try:
                forever()
            except RecursionError:
                print("deep", deep(500))  # 0: it gets to its end


if "thread" in sys.argv:
    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
else:
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    train()
    signal.setitimer(signal.ITIMER_REAL, 0)
    print("alarms", len(alarms) > 3)
