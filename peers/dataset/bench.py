"""Runs saturate and the recipes in turn; see run.

Turns are interleaved in rounds, so that what else the machine does meets all of them. What counts is CPU time a
file, child processes included; wall time is kept beside it. Slow recipes get fewer files, as the table says; all
files are in the page cache. saturate's times include its start and listing the files; the others' do not include
their imports.
"""
import argparse
import datetime
import json
import os
import platform
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import soundfile

HERE = os.path.dirname(os.path.abspath(__file__))


def audio(folder, files):
    """10 s clips: speech by espeak-ng where it is installed, taken as 16 kHz, else noise under an envelope."""
    if shutil.which("espeak-ng"):
        wav = subprocess.run(["espeak-ng", "--stdout", "The quick brown fox jumps over the lazy dog, and then, after a pause, once more. " * 30],
                             check=True, capture_output=True).stdout
        base, kind = np.frombuffer(wav[44:len(wav) // 2 * 2], np.int16), "espeak-ng"
    else:
        t = np.arange(3000000) / 16000
        base = (np.random.default_rng(1).normal(0, 3000, len(t)) * np.maximum(0, np.sin(8 * t))).astype(np.int16)
        kind = "noise"
    names = {"wav": [], "flac": [], "mp3": []}
    for i in range(files):
        clip = np.roll(base, -i * 7919)[:160000]
        for ending, list_ in names.items():
            if ending != "wav" and i >= 200:
                continue
            name = os.path.join(folder, ending, f"{i:05d}.{ending}")
            os.makedirs(os.path.dirname(name), exist_ok=True)
            soundfile.write(name, clip, 16000)
            list_.append(name)
    return names, kind


def children():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def saturate(program, files, cores, fsync, out, layout):
    """The list goes in by a file, as a manifest would."""
    manifest = out + ".jsonl"
    with open(manifest, "w") as f:
        for name in files:
            f.write(json.dumps({"audio_filepath": name}) + "\n")
    start, before = time.perf_counter(), children()
    subprocess.run(["taskset", "-c", ",".join(map(str, range(cores))), program, "mel", manifest, "-o", out + ".h5", "-q", "--layout", layout,
                    "--workers", str(cores), f"--fsync={str(fsync).lower()}"], check=True, stdout=subprocess.DEVNULL)
    return {"wall": time.perf_counter() - start, "cpu": children() - before}


def recipe(name, files, cores, fsync, out, audio_column):
    environ = {**os.environ, "PYTHONPATH": audio_column} if name.endswith("audio") else None
    answer = subprocess.run([sys.executable, os.path.join(HERE, "recipes.py"), name, str(cores), "fsync" if fsync else "none", out],
                            input="\n".join(files), text=True, check=True, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout
    return json.loads(answer.strip().splitlines()[-1])


def plan(names, files, few):
    """Who does what with how many files."""
    for cores in (1, 2):
        for fsync in (False, True):
            yield "saturate fixed", "wav", cores, fsync, files
            yield "saturate ragged", "wav", cores, fsync, files
            yield "write only", "wav", cores, fsync, files
            yield "hf padded f32", "wav", cores, fsync, few
            yield "torchaudio lean", "wav", cores, fsync, few
        yield "datasets.map", "wav", cores, False, few
        yield "datasets.map audio", "wav", cores, False, few
        yield "read only", "wav", cores, False, files
    for who in ("hf padded f16", "hf lean", "lhotse lean"):
        yield who, "wav", 1, False, few
    for ending in ("flac", "mp3"):
        n = len(names[ending])
        for who in ("saturate fixed", "hf padded f32", "read only"):
            yield who, ending, 1, False, n


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--saturate", required=True)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--files", type=int, default=2000)
    options.add_argument("--input", choices=("wav", "flac", "mp3"), help="only these rows, kept in results/INPUT.json")
    options.add_argument("--few", type=int, help="files of slow recipes; a twentieth of --files without it")
    options.add_argument("--only", help="only these rows, by name, with commas")
    options.add_argument("--name", help="of the file in results")
    options.add_argument("--audio-column", required=True, help="the folder of requirements-audio.txt")
    options.add_argument("--folder", help="for audio and outputs; a temporary one without it")
    options = options.parse_args()
    folder = options.folder or tempfile.mkdtemp()
    names, kind = audio(os.path.join(folder, "audio"), options.files)
    jobs, rows, skipped = [job for job in plan(names, options.files, min(options.few or max(1, options.files // 20), options.files)) if options.input in (None, job[1])], {}, {}
    if options.only:
        jobs = [job for job in jobs if job[0] in options.only.split(",")]
    loads = []
    for turn in range(options.rounds):
        random.Random(turn).shuffle(jobs)
        loads.append(os.getloadavg()[0])
        for job in jobs:
            who, ending, cores, fsync, n = job
            if who in skipped:
                continue
            work = tempfile.mkdtemp(dir=folder)
            out = os.path.join(work, "out")
            try:
                if who.startswith("saturate"):
                    t = saturate(options.saturate, names[ending][:n], cores, fsync, out, who.split()[1])
                else:
                    t = recipe(who, names[ending][:n], cores, fsync, out, options.audio_column)
                rows.setdefault(job, []).append({k: round(v, 4) for k, v in t.items()})
            except (subprocess.CalledProcessError, json.JSONDecodeError) as error:
                skipped[who] = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1]
            shutil.rmtree(work)
        print(f"round {turn + 1} of {options.rounds}, load {loads[-1]:.1f}", file=sys.stderr)
    if not options.folder:
        shutil.rmtree(folder)

    result = {
        "date": datetime.date.today().isoformat(), "cpu": cpu_name(), "cores": os.cpu_count(), "clip": f"10 s, {kind}", "load": loads,
        "versions": versions(), "skipped": skipped,
        "rows": [dict(zip(("who", "input", "cores", "fsync", "files"), job), runs=runs) for job, runs in rows.items()],
    }
    os.makedirs(os.path.join(HERE, "results"), exist_ok=True)
    with open(os.path.join(HERE, "results", f"{options.name or options.input or 'latest'}.json"), "w") as f:
        json.dump(result, f, indent=1)
        f.write("\n")
    table(result)


def cpu_name():
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()


def versions():
    from importlib.metadata import version
    return {m: version(m) for m in ("transformers", "torch", "torchaudio", "datasets", "soundfile", "h5py", "lhotse", "numpy")}


def per_second(row, clock):
    """Files a second: the median over the rounds, and the best."""
    rates = [row["files"] / r[clock] for r in row["runs"]]
    return statistics.median(rates), max(rates)


def table(result):
    print(f"{result['cpu']}, {result['clip']}; load average {min(result['load']):.1f} to {max(result['load']):.1f} meanwhile\n")
    print("| recipe | input | cores | fsync | files | files per CPU second, median (best) | files per second, median (best) |")
    print("|---|---|---|---|---|---|---|")
    for row in sorted(result["rows"], key=lambda r: (r["input"] != "wav", r["input"], r["cores"], r["fsync"], -per_second(r, "cpu")[0])):
        c, w = per_second(row, "cpu"), per_second(row, "wall")
        print(f"| {row['who']} | {row['input']} | {row['cores']} | {'yes' if row['fsync'] else 'no'} | {row['files']} | {c[0]:,.0f} ({c[1]:,.0f}) | {w[0]:,.0f} ({w[1]:,.0f}) |")
    for name, why in result["skipped"].items():
        print(f"not measured: {name}: {why}")


if __name__ == "__main__":
    main()
