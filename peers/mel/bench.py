"""Measures saturate and the peers in turn; see run.

All contestants compute the features of the same clip of 30 s, warm. Their turns are interleaved in
rounds, so that what else the machine does meets all of them, and what counts is CPU time: the
smallest, and the median over all rounds. Peers take float32 and give float32; saturate takes int16
or float32 and gives FP16.
"""
import argparse
import datetime
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy as np

import peers

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = 480000


def clip(path):
    """30 s of speech by espeak-ng, taken as 16 kHz, or of modulated harmonics where it is absent."""
    if shutil.which("espeak-ng"):
        text = "The quick brown fox jumps over the lazy dog. " * 20
        wav = subprocess.run(["espeak-ng", "--stdout", text], check=True, capture_output=True).stdout
        x, kind = np.frombuffer(wav[44:len(wav) // 2 * 2], dtype=np.int16), "espeak-ng"
        x = np.resize(x, SAMPLES)
    else:
        t = np.arange(SAMPLES) / 16000
        phase = 2 * np.pi * np.cumsum(140 + 60 * np.sin(2 * np.pi * 0.7 * t)) / 16000
        loud = np.maximum(0, np.sin(2 * np.pi * 1.3 * t))
        v = sum(np.sin(h * phase) / h for h in range(1, 24))
        x = (6000 * loud * v + np.random.default_rng(1).normal(0, 20, SAMPLES)).clip(-32768, 32767).astype(np.int16)
        kind = "harmonics"
    x.tofile(path)
    return kind


def cpu():
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()


class Saturate:
    def __init__(self, program, path, level, form):
        self.name = f"saturate {level}, {'int16' if form == 'pcm' else 'float32'}"
        self.level, self.ours, self.version = level, True, "this tree"
        self.command = [program, "-pcm", path, "-level", level] + (["-float"] if form == "float" else [])

    def measure(self, mels, seconds, out=None):
        n = int(seconds / (0.01 if self.level == "go" else 0.0006))
        command = self.command + ["-mels", str(mels), "-n", str(max(n, 20))] + (["-out", out] if out else [])
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["ms"]


class Peer:
    def __init__(self, name, path):
        self.name, self.ours, self.version = name, False, ""
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "peers.py"), name, path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def measure(self, mels, seconds, out=None):
        job = {"mels": mels, "seconds": seconds} | ({"out": out} if out else {})
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError):
            raise RuntimeError((self.process.stderr.read().strip().splitlines() or ["it ended"])[-1])
        self.version = answer["version"]
        return answer["ms"]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--saturate", required=True)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=float, default=0.5, help="of CPU, each turn")
    options = options.parse_args()
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})  # and with it everybody started here
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "clip.s16")
    kind = clip(path)
    levels = json.loads(subprocess.run([options.saturate, "-levels"], check=True, capture_output=True).stdout)
    everybody = [Saturate(options.saturate, path, level, form) for level in levels for form in ("pcm", "float")]
    everybody += [Peer(p.__name__, path) for p in peers.PEERS]
    skipped = dict(peers.SKIPPED)
    times, features, loads = {}, {}, []
    for turn in range(options.rounds):
        random.Random(turn).shuffle(everybody)
        loads.append(os.getloadavg()[0])
        for who in list(everybody):
            for mels in (80, 128):
                out = os.path.join(folder, "features") if turn == 0 else None
                try:
                    times.setdefault((who.name, mels), []).append(who.measure(mels, options.seconds, out))
                    if out:
                        features[who.name, mels] = np.fromfile(out, dtype=np.float32).reshape(mels, -1)
                except (RuntimeError, ValueError, subprocess.CalledProcessError) as error:
                    skipped[who.name] = str(error)
                    everybody.remove(who)
                    break
        print(f"round {turn + 1} of {options.rounds}, load {loads[-1]:.1f}", file=sys.stderr)

    rows = []
    for who in everybody:
        for mels in (80, 128):
            rounds = times[who.name, mels]
            every = [t for r in rounds for t in r]
            want, got = features["openai_whisper", mels], features[who.name, mels]
            frames = min(want.shape[1], got.shape[1])
            difference = float(np.abs(want[:, :frames] - got[:, :frames]).max())
            rows.append({
                "name": who.name, "version": who.version, "ours": who.ours, "mels": mels,
                "best_ms": min(every), "median_ms": statistics.median(every), "frames": got.shape[1],
                "max_difference_from_openai": difference, "rounds_ms": [[round(t, 4) for t in r] for r in rounds],
            })
    for who in everybody:
        if not who.ours:
            who.process.stdin.close()
    shutil.rmtree(folder)

    result = {
        "date": datetime.date.today().isoformat(), "cpu": cpu(), "core": core, "clip": f"30 s, {kind}",
        "measure": "CPU time of one clip, turns interleaved, one core", "load": loads, "skipped": skipped, "rows": rows,
    }
    os.makedirs(os.path.join(HERE, "results"), exist_ok=True)
    name = os.path.join(HERE, "results", result["date"] + ".json")
    with open(name, "w") as f:
        json.dump(result, f, indent=None, separators=(",", ":"))
        f.write("\n")
    table(result)
    print(f"\nraw results: {os.path.relpath(name)}")


def table(result):
    print(f"{result['cpu']}, one core, CPU time of a clip of {result['clip']}; load average "
          f"{min(result['load']):.1f} to {max(result['load']):.1f} meanwhile\n")
    for mels in (80, 128):
        rows = sorted((r for r in result["rows"] if r["mels"] == mels), key=lambda r: r["best_ms"])
        peer = {k: min(r[k] for r in rows if not r["ours"]) for k in ("best_ms", "median_ms")}
        print(f"| {mels} bands | best ms | median ms | clips/s, best | clips/s, median | × fastest peer, best | × fastest peer, median | largest difference from openai-whisper |")
        print("|---|---|---|---|---|---|---|---|")
        for r in rows:
            best, median = r["best_ms"], r["median_ms"]
            print(f"| {r['name']} ({r['version']}) | {best:.3g} | {median:.3g} | {1000 / best:.0f} | {1000 / median:.0f} | "
                  f"{peer['best_ms'] / best:.2g} | {peer['median_ms'] / median:.2g} | {r['max_difference_from_openai']:.2g} |")
        print()
    for name, why in result["skipped"].items():
        print(f"not measured: {name}: {why}")


if __name__ == "__main__":
    main()
