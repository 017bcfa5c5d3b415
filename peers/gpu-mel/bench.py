"""Measures feature building end to end; see run.

Every contestant reads the same WAV files, which lie on a disk's file system and are in the page cache, and writes FP16 features
of 80 bands by 3000 frames (1000 for clips of 10 s) into one file on another, in memory where there is such. `fresh` means that the file
is made anew; `again` writes over the pages of an existing one. Contestants take turns; the best of
the rounds counts, and all are kept, with the processors' time that the host of a virtual machine gave to
others meanwhile.
"""
import argparse
import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import torch

import pipeline

RATE = 16000
DISTINCT = 256


def sound(seconds, seed):
    r = np.random.default_rng(seed)
    n = int(seconds * RATE)
    t = np.arange(n) / RATE
    phase = 2 * np.pi * np.cumsum(140 + 60 * np.sin(2 * np.pi * 0.7 * t + seed)) / RATE
    loud = np.maximum(0, np.sin(2 * np.pi * 1.3 * t))
    v = sum(np.sin(h * phase) / h for h in range(1, 8))
    return (6000 * loud * v + r.normal(0, 20, n)).clip(-32768, 32767).astype(np.int16)


def wav(path, x):
    data = x.astype("<i2").tobytes()
    head = b"RIFF" + (36 + len(data)).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
    head += (1).to_bytes(2, "little") + (1).to_bytes(2, "little") + RATE.to_bytes(4, "little") + (2 * RATE).to_bytes(4, "little")
    head += (2).to_bytes(2, "little") + (16).to_bytes(2, "little") + b"data" + len(data).to_bytes(4, "little")
    with open(path, "wb") as f:
        f.write(head + data)


def flac(folder):
    """The files that ./flac makes, made ahead where FLAC names their folder."""
    ready = os.environ.get("FLAC", "")
    if ready:
        return [shutil.copy(os.path.join(ready, name), folder) for name in sorted(os.listdir(ready))]
    if not shutil.which("ffmpeg"):
        raise ImportError("there is no ffmpeg to make FLAC files, and FLAC names no folder of them")
    subprocess.run([os.path.join(os.path.dirname(os.path.abspath(__file__)), "flac"), folder], check=True)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def workload(kind, folder, files):
    """Distinct files, listed over and over; each list entry is a row of the output."""
    os.makedirs(folder, exist_ok=True)
    if kind == "flac":
        paths = flac(folder)
        return [paths[i % len(paths)] for i in range(files)], 30
    base = sound(31, 1)
    lengths = {"30s": [30.0], "10s": [10.0], "mixed": list(np.random.default_rng(7).uniform(1, 30, DISTINCT))}[kind]
    paths = []
    for i in range(min(DISTINCT, files)):
        n = int(lengths[i % len(lengths)] * RATE)
        x = np.roll(base, 997 * i)[:n]
        paths.append(os.path.join(folder, f"{i:04d}.wav"))
        wav(paths[-1], x)
    seconds = 10 if kind == "10s" else 30
    return [paths[i % len(paths)] for i in range(files)], seconds


def bus(size=256 << 20):
    """Pinned copies to the GPU, back, and both at a time, GB/s."""
    up, down = torch.empty(size, dtype=torch.uint8).pin_memory(), torch.empty(size, dtype=torch.uint8).pin_memory()
    a, b = torch.empty(size, dtype=torch.uint8, device="cuda"), torch.empty(size, dtype=torch.uint8, device="cuda")
    streams = torch.cuda.Stream(), torch.cuda.Stream()

    def timed(work):
        work()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(4):
            work()
        torch.cuda.synchronize()
        return 4 * size / (time.perf_counter() - start) / 1e9

    def both():
        with torch.cuda.stream(streams[0]):
            a.copy_(up, non_blocking=True)
        with torch.cuda.stream(streams[1]):
            down.copy_(b, non_blocking=True)
    return {"h2d": timed(lambda: a.copy_(up, non_blocking=True)), "d2h": timed(lambda: down.copy_(b, non_blocking=True)), "both_each_way": timed(both)}


def by_threads(count, threads, work):
    """How often a second, when threads take turns: work(turn, thread)."""
    turn = iter(range(count))
    lock = threading.Lock()

    def loop(k):
        while True:
            with lock:
                i = next(turn, None)
            if i is None:
                return
            work(i, k)
    start = time.perf_counter()
    running = [threading.Thread(target=loop, args=(k,)) for k in range(threads)]
    [t.start() for t in running]
    [t.join() for t in running]
    return count / (time.perf_counter() - start)


def plain_write(path, rows, row_bytes, workers, fresh):
    """What the file system alone allows: the same bytes by as many threads, no features."""
    if fresh and os.path.exists(path):
        os.remove(path)
    block = os.urandom(row_bytes)
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        return by_threads(rows, workers, lambda i, k: os.pwrite(fd, block, i * row_bytes))
    finally:
        os.close(fd)


def plain_read(paths, workers):
    """What the page cache alone allows: the same files read by as many threads, each into eight buffers in turn."""
    files = {p: os.open(p, os.O_RDONLY) for p in set(paths)}
    room = max(os.fstat(fd).st_size for fd in files.values())
    buffers = [[bytearray(room) for _ in range(8)] for _ in range(workers)]
    try:
        return by_threads(len(paths), workers, lambda i, k: os.preadv(files[paths[i]], [buffers[k][i % 8]], 0))
    finally:
        [os.close(fd) for fd in files.values()]


def processor_time():
    """Ticks of all processors so far: what they worked, what the host of a virtual machine gave to others instead."""
    try:
        with open("/proc/stat") as f:
            user, nice, system, _, _, irq, softirq, steal = map(int, f.readline().split()[1:9])
    except (OSError, ValueError):
        return 0, 0
    return user + nice + system + irq + softirq, steal


def saturate(binary, device, paths, seconds, output, workers, again, *more):
    """Files a second by the program's own clock, its JSON kept."""
    manifest = output + ".jsonl"
    with open(manifest, "w") as f:
        for i, p in enumerate(paths):
            f.write(json.dumps({"audio": p, "id": i}) + "\n")
    # A file of the output's size at its working name gives its pages to the build.
    if again:
        if not os.path.exists(output):
            saturate(binary, device, paths, seconds, output, workers, False)
        os.rename(output, output + ".part")
    elif os.path.exists(output):
        os.remove(output)
    command = [binary, "mel", manifest, "-o", output, "--device", device, "--workers", str(workers), "--length", f"{seconds}s", "--fsync=false", "--format", "json", *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-300:])
    answer = json.loads(done.stdout)
    return answer["files_per_s"], {k: answer.get(k) for k in ("wall_s", "device", "stages", "bound", "gpu", "pinned_bytes")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--saturate", required=True)
    parser.add_argument("--results", required=True)
    parser.add_argument("--files", type=int, default=16384)
    parser.add_argument("--only", default="30s,10s,mixed,flac")
    parser.add_argument("--dir", default="/dev/shm" if os.path.isdir("/dev/shm") else tempfile.gettempdir())
    parser.add_argument("--inputs", default=tempfile.gettempdir(), help="where the inputs are; a tmpfs reads a seventh more slowly than a disk's page cache")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--match", default="", help="a regular expression: only contestants with such names")
    # The others keep no checksums of their inputs.
    parser.add_argument("--also", action="append", default=["--checksum none"], help="options of saturate to measure as well")
    parser.add_argument("--smoke", action="store_true")
    o = parser.parse_args()
    device = "cuda"
    if o.smoke:
        device, o.files, o.rounds, o.only = "cpu", 24, 1, "10s,mixed,flac"
    elif not torch.cuda.is_available():
        sys.exit("torch sees no GPU here; --smoke runs on the processor")
    cores = len(os.sched_getaffinity(0))
    folder, inputs = (tempfile.mkdtemp(prefix="saturate-gpu-mel-", dir=d) for d in (o.dir, o.inputs))
    result = {"date": datetime.date.today().isoformat(), "machine": {
        "cpu": platform.processor() or platform.machine(), "cores": cores, "python": platform.python_version(), "torch": torch.__version__,
        "gpu": torch.cuda.get_device_name() if device == "cuda" else "none", "dir": o.dir, "inputs": o.inputs}, "runs": []}
    if device == "cuda":
        result["bus_gb_per_s"] = bus()
        print("bus GB/s:", {k: round(v, 1) for k, v in result["bus_gb_per_s"].items()}, flush=True)

    def keep():
        """Everything so far, whole or not at all: who stops a long sitting has its beginning."""
        os.makedirs(o.results, exist_ok=True)
        path = os.path.join(o.results, "smoke.json" if o.smoke else f"{result['date']}.json")
        with open(path + ".part", "w") as f:
            json.dump(result, f, indent=1)
        os.replace(path + ".part", path)

    def note(kind, name, round_, work):
        if not re.search(o.match, name):
            return
        before = processor_time()
        try:
            answer = work()
        except Exception as e:  # a contestant that is not installed or fails is named, and the rest goes on
            result["runs"].append({"workload": kind, "name": name, "round": round_, "error": f"{type(e).__name__}: {e}"})
            print(f"{kind:6} {name:40} {type(e).__name__}: {str(e)[:120]}", flush=True)
            return
        rate, more = answer if isinstance(answer, tuple) else (answer, {})
        worked, stolen = (now - then for now, then in zip(processor_time(), before))
        stolen /= max(1, worked + stolen)  # of what the run would have had
        result["runs"].append({"workload": kind, "name": name, "round": round_, "files": files, "files_per_s": rate, "stolen": stolen, **more})
        keep()
        print(f"{kind:6} {name:40} {rate:10.0f} files/s" + (f", {stolen:.0%} of the processors' time taken by the host" if stolen >= 0.01 else ""), flush=True)

    try:
        for kind in o.only.split(","):
            try:
                files = max(1, o.files // 16) if kind == "flac" else o.files  # which take long to decode
                paths, seconds = workload(kind, os.path.join(inputs, kind), files)
            except ImportError as e:
                print(f"{kind}: left out, {e}")
                continue
            row = 80 * 100 * seconds * 2
            out = os.path.join(folder, "out")
            sent = sum(map(os.path.getsize, paths)) / len(paths)
            for round_ in range(o.rounds):
                if device == "cuda":
                    note(kind, "bus alone, both ways at a time", round_, lambda: bus()["both_each_way"] * 1e9 / sent)
                note(kind, f"plain read, {cores} threads", round_, lambda: plain_read(paths, cores))
                for fresh in (True, False):
                    what = "fresh" if fresh else "again"
                    note(kind, f"plain write, {cores} threads, {what}", round_, lambda: plain_write(out + ".raw", files, row, cores, fresh))
                if kind != "flac":
                    for make in pipeline.CONTESTANTS:
                        for fresh in (True, False):
                            what = "fresh" if fresh else "again"
                            note(kind, f"{make.__name__}, {cores} threads, {what}", round_,
                                 lambda: pipeline.run(make, paths, seconds, out + ".raw", device, cores, fresh))
                if os.path.exists(out + ".raw"):
                    os.remove(out + ".raw")
                for workers in (1, 4, 16) if not o.smoke else (1, 2):
                    for again in (False, True):
                        note(kind, f"saturate, {workers} workers, {'again' if again else 'fresh'}", round_,
                             lambda: saturate(o.saturate, device, paths, seconds, out + ".h5", workers, again))
                for options in o.also:
                    note(kind, f"saturate, {workers} workers, again, {options}", round_,
                         lambda: saturate(o.saturate, device, paths, seconds, out + ".h5", workers, True, *options.split()))
                if os.path.exists(out + ".h5"):
                    os.remove(out + ".h5")
                if round_ == 0 and kind == "30s":
                    note(kind, "transformers, arrays in memory", round_, lambda: pipeline.transformers_only(paths[:512], device))
            shutil.rmtree(os.path.join(inputs, kind))
    finally:
        for d in (folder, inputs):
            shutil.rmtree(d, ignore_errors=True)
        keep()
    best = {}
    for r in result["runs"]:
        if "files_per_s" in r:
            key = r["workload"], r["name"]
            best[key] = max(best.get(key, 0), r["files_per_s"])
    print("\nbest of all rounds")
    for (kind, name), rate in best.items():
        print(f"{kind:6} {name:40} {rate:10.0f} files/s")


main()
