"""The peers: numpy (OpenBLAS) and torch, on the same jobs as saturate/main.go.

As a program it serves one of them: a job in JSON on a line of standard input is answered by a line
with the seconds of every sample, wall and CPU.

    python peers.py numpy 1 operands.f32
"""
import json
import math
import sys
import time

import numpy as np


def take(job, operands, *shapes):
    """Arrays of these shapes, one after the other out of the file of operands."""
    at = 0
    for shape in shapes:
        n = math.prod(shape)
        yield np.resize(operands[at:at + n] if at + n <= operands.size else np.roll(operands, -at), shape)
        at = (at + n) % operands.size


class Numpy:
    def __init__(self, threads):
        self.version = f"numpy {np.__version__}, OpenBLAS {np.show_config('dicts')['Build Dependencies']['blas']['version']} {self.core()}"

    @staticmethod
    def core():
        """The processor whose code OpenBLAS has chosen."""
        import ctypes
        with open("/proc/self/maps") as maps:
            names = {line.split()[-1] for line in maps if "openblas" in line}
        for name in names:
            library = ctypes.CDLL(name)
            for symbol in ("scipy_openblas_get_corename64_", "openblas_get_corename"):
                if hasattr(library, symbol):
                    get = getattr(library, symbol)
                    get.restype = ctypes.c_char_p
                    return get().decode()
        return ""

    def product(self, job, operands):
        m, n, k = job["rows"], job["cols"], job["depth"]
        a, b = take(job, operands, (m, k), (n, k) if job.get("transposed") else (k, n))
        b = b.T if job.get("transposed") else b
        c = np.empty((m, n), np.float32)
        return (lambda: np.matmul(a, b, out=c)), c

    def copy(self, job, operands):
        (x,) = take(job, operands, (job["values"],))
        y = np.zeros_like(x)
        return (lambda: np.copyto(y, x)), y


class Torch:
    def __init__(self, threads):
        import torch
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
        self.torch, self.version = torch, f"torch {torch.__version__} {torch.backends.cpu.get_cpu_capability()}"

    def take(self, job, operands, *shapes):
        return [self.torch.from_numpy(np.ascontiguousarray(x)) for x in take(job, operands, *shapes)]

    def product(self, job, operands):
        m, n, k = job["rows"], job["cols"], job["depth"]
        a, b = self.take(job, operands, (m, k), (n, k) if job.get("transposed") else (k, n))
        b = b.T if job.get("transposed") else b
        c = self.torch.empty(m, n)
        return (lambda: self.torch.matmul(a, b, out=c)), c.numpy()

    def softmax(self, job, operands):
        (x,) = self.take(job, operands, (job["rows"], job["cols"]))
        y = self.torch.empty_like(x)
        return (lambda: self.torch.softmax(x, -1, out=y)), y.numpy()

    def heads(self, job, operands):
        b, h, s, t, d = (job[k] for k in ("batch", "heads", "queries", "keys", "width"))
        return [x.transpose(1, 2) for x in self.take(job, operands, (b, s, h, d), (b, t, h, d), (b, t, h, d))]

    def attention(self, job, operands):
        """By way of the whole table of scores."""
        q, k, v = self.heads(job, operands)
        torch, scale = self.torch, 1 / math.sqrt(job["width"])
        mask = torch.full((job["queries"], job["keys"]), -math.inf).triu(1) if job.get("causal") else None
        out = torch.empty(job["batch"], job["queries"], job["heads"], job["width"])

        def call():
            scores = torch.matmul(q, k.transpose(-1, -2)).mul_(scale)
            if mask is not None:
                scores.add_(mask)
            out.copy_(torch.matmul(torch.softmax(scores, -1), v).transpose(1, 2))

        return call, out.numpy()

    def tiled(self, job, operands):
        """scaled_dot_product_attention, which is flash attention on the CPU too."""
        q, k, v = self.heads(job, operands)
        torch = self.torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
        result = np.empty((job["batch"], job["queries"], job["heads"], job["width"]), np.float32)
        last = []

        def call():
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):  # fails rather than takes another
                last[:] = [torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(job.get("causal")))]

        def finish():
            result[...] = last[0].transpose(1, 2).numpy()

        call.finish = finish
        return call, result

    def copy(self, job, operands):
        (x,) = self.take(job, operands, (job["values"],))
        y = self.torch.zeros_like(x)
        return (lambda: y.copy_(x)), y.numpy()


PEERS = {"numpy": Numpy, "torch": Torch}


def measure(call, seconds, samples):
    """Samples of at least a millisecond each: the seconds of a call, wall and CPU."""
    start = time.perf_counter()
    call()
    calls = max(1, math.ceil(1e-3 / (time.perf_counter() - start)))
    for _ in range(calls):
        call()
    wall, cpu = [], []
    stop = time.perf_counter() + seconds
    while len(wall) < 3 or (len(wall) < samples and time.perf_counter() < stop):
        start_cpu, start = time.process_time(), time.perf_counter()
        for _ in range(calls):
            call()
        wall.append((time.perf_counter() - start) / calls)
        cpu.append((time.process_time() - start_cpu) / calls)
    return wall, cpu


def serve(name, threads, operands):
    peer = PEERS[name](threads)
    operands = np.fromfile(operands, dtype=np.float32)
    for line in sys.stdin:
        job = json.loads(line)
        make = getattr(peer, job["op"], None)
        if make is None:
            print(json.dumps({"absent": True}), flush=True)
            continue
        call, result = make(job, operands)
        if job.get("out"):
            call()
            getattr(call, "finish", lambda: None)()
            np.ascontiguousarray(result).tofile(job["out"])
        wall, cpu = measure(call, job["seconds"], job["samples"])
        print(json.dumps({"wall": wall, "cpu": cpu, "version": peer.version}), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), sys.argv[3])
