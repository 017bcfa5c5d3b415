"""Times decoders and resamplers in turns and compares what they give. `run` starts it.

CPU seconds count, not wall seconds: the machine may be shared. Each figure is the median over the rounds.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import soundfile
import soxr

HERE = Path(__file__).resolve().parent
FORMATS = {  # name: rate, channels, how ffmpeg makes it
    "wav s16 16k mono": (16000, 1, "wav", "-c:a pcm_s16le"),
    "wav s24 48k stereo": (48000, 2, "wav", "-c:a pcm_s24le"),
    "flac 16k mono": (16000, 1, "flac", "-c:a flac -sample_fmt s16"),
    "flac 44.1k stereo": (44100, 2, "flac", "-c:a flac -sample_fmt s16"),
    "mp3 16k mono": (16000, 1, "mp3", "-c:a libmp3lame -b:a 32k"),
    "mp3 48k mono": (48000, 1, "mp3", "-c:a libmp3lame -b:a 64k"),
    "mp3 44.1k stereo": (44100, 2, "mp3", "-c:a libmp3lame -b:a 128k"),
    "vorbis 16k mono": (16000, 1, "ogg", "-c:a libvorbis -q:a 4"),
    "vorbis 44.1k stereo": (44100, 2, "ogg", "-c:a libvorbis -q:a 4"),
    "opus speech mono": (48000, 1, "opus", "-c:a libopus -b:a 24k -application voip"),
    "opus stereo": (48000, 2, "opus", "-c:a libopus -b:a 96k"),
}
TEXT = "The birch canoe slid on the smooth planks. Glue the sheet to the dark blue background. It is easy to tell the depth of a well. "


def cpu(children=False):
    u = resource.getrusage(resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


def run(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, **more).stdout


def speech(folder, seconds):
    """Speech by espeak-ng at 48 kHz stereo, the right channel later and softer than the left."""
    spoken = folder / "spoken.wav"
    run("espeak-ng", "-v", "en-us", "--stdin", "-w", str(spoken), input=(TEXT * (seconds // 5)).encode())
    mono, rate = soundfile.read(spoken, dtype="float32")
    mono = soxr.resample(np.resize(mono, rate * seconds), rate, 48000, quality="VHQ")
    source = folder / "source.wav"
    soundfile.write(source, np.stack([mono, 0.7 * np.roll(mono, 150)], axis=1), 48000, subtype="FLOAT")
    return source


# --- decoding ----------------------------------------------------------------------------------


def by_saturate(program, path, out):
    return json.loads(run(program, "-n", "2", "-out", str(out), "decode", str(path)))[1]  # warm, as Python is


def by_ffmpeg(path):
    """Start of the process included: that is what a data loader pays."""
    before = cpu(children=True)
    run("ffmpeg", "-nostdin", "-loglevel", "error", "-threads", "1", "-i", str(path), "-c:a", "pcm_f32le", "-f", "null", "-")
    return cpu(children=True) - before


def by_soundfile(path):
    before = cpu()
    data, _ = soundfile.read(path, dtype="float32", always_2d=True)
    data.mean(axis=1)
    return cpu() - before


def reference(path, channels):
    """ffmpeg's samples, mixed; Opus by libopus, which the standard is defined by."""
    decoder = ["-c:a", "libopus"] if path.suffix == ".opus" else []
    raw = run("ffmpeg", "-nostdin", "-loglevel", "error", *decoder, "-i", str(path), "-c:a", "pcm_f32le", "-f", "f32le", "-")
    return np.frombuffer(raw, np.float32).reshape(-1, channels).mean(axis=1)


def decoding(folder, source, options):
    results = {}
    for name, (rate, channels, ending, how) in FORMATS.items():
        path = folder / f"{name.replace(' ', '_')}.{ending}"
        run("ffmpeg", "-y", "-loglevel", "error", "-i", str(source), "-ac", str(channels), "-ar", str(rate), *how.split(), str(path))
        out = folder / "out.f32"
        times = {"saturate": [], "ffmpeg": [], "libsndfile": []}
        for _ in range(options.rounds):
            times["saturate"].append(by_saturate(options.saturate, path, out))
            times["ffmpeg"].append(by_ffmpeg(path))
            times["libsndfile"].append(by_soundfile(path))
        got, want = np.fromfile(out, np.float32), reference(path, channels)
        n = min(len(got), len(want))
        results[name] = {
            "cpu_s": times,
            "samples": {"saturate": len(got), "ffmpeg": len(want), "libsndfile": soundfile.info(path).frames},
            "largest_difference_to_ffmpeg": float(np.abs(got[:n] - want[:n]).max()),
        }
    return results


# --- resampling --------------------------------------------------------------------------------


def resamplers(options, folder):
    def saturate(x, a, b):
        x.astype("<f4").tofile(folder / "in.f32")
        out = folder / "resampled.f32"
        seconds = json.loads(run(options.saturate, "-n", "2", "-out", str(out), "resample", str(folder / "in.f32"), str(a), str(b)))[1]
        return np.fromfile(out, np.float32), seconds

    def soxr_hq(x, a, b):
        before = cpu()
        y = soxr.resample(x, a, b, quality="HQ")
        return y, cpu() - before

    found = {"saturate": saturate, "soxr HQ": soxr_hq}
    try:
        import torch
        import torchaudio

        torch.set_num_threads(1)
        made = {}

        def torchaudio_default(x, a, b):
            if (a, b) not in made:
                made[a, b] = torchaudio.transforms.Resample(a, b)
            before = cpu()
            y = made[a, b](torch.from_numpy(x)).numpy()
            return y, cpu() - before

        found["torchaudio"] = torchaudio_default
    except ImportError as error:
        print(f"torchaudio is left out: {error}")
    return found


def quality(resample, a, b):
    """Ripple up to 0.913 of the lower Nyquist frequency, and what is left of tones above it, in dB."""
    nyquist = min(a, b) / 2
    t = np.arange(a) / a
    ripple, rejection = 0.0, -np.inf
    middle = slice(b // 5, -b // 5)
    for share in (0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 0.913):
        y, _ = resample(np.sin(2 * np.pi * share * nyquist * t).astype(np.float32), a, b)
        s = np.arange(len(y))[middle] / b * 2 * np.pi * share * nyquist
        basis = np.stack([np.sin(s), np.cos(s)], axis=1)
        gain = np.linalg.norm(np.linalg.lstsq(basis, y[middle].astype(np.float64), rcond=None)[0])
        ripple = max(ripple, abs(20 * np.log10(gain)))
    for share in (1.0005, 1.01, 1.02, 1.05, 1.1, 1.3, 1.7, 2.2, 2.7):
        if share * nyquist < a / 2:
            y, _ = resample(np.sin(2 * np.pi * share * nyquist * t).astype(np.float32), a, b)
            rejection = max(rejection, 10 * np.log10(2 * np.mean(y[middle].astype(np.float64) ** 2) + 1e-30))
    return {"ripple_db": ripple, "worst_alias_db": float(rejection)}


def resampling(folder, source, options):
    results = {}
    peers = resamplers(options, folder)
    stereo, rate = soundfile.read(source, dtype="float32")
    for a, b in ((48000, 16000), (44100, 16000), (22050, 16000), (44056, 16000)):
        x = stereo.mean(axis=1).astype(np.float32) if a == rate else soxr.resample(stereo.mean(axis=1), rate, a, quality="VHQ").astype(np.float32)
        outputs, times = {}, {name: [] for name in peers}
        for _ in range(options.rounds):
            for name, resample in peers.items():
                outputs[name], seconds = resample(x, a, b)
                times[name].append(seconds)
        best = soxr.resample(x, a, b, quality="VHQ")
        results[f"{a} to {b}"] = {
            name: {
                "cpu_s": times[name],
                "samples": len(outputs[name]),
                "largest_difference_to_soxr_vhq": float(np.abs(outputs[name] - best[: len(outputs[name])]).max()),
                **quality(peers[name], a, b),
            }
            for name in peers
        }
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--saturate", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = speech(folder, options.seconds)
        decoded, resampled = decoding(folder, source, options), resampling(folder, source, options)

    seconds = options.seconds
    print(f"\nSeconds of audio decoded in a CPU second ({seconds} s of speech, median of {options.rounds})")
    print(f"{'':22}{'saturate':>10}{'ffmpeg':>10}{'libsndfile':>12}   samples: saturate, ffmpeg    largest difference")
    for name, r in decoded.items():
        figures = {k: seconds / statistics.median(v) for k, v in r["cpu_s"].items()}
        print(f"{name:22}{figures['saturate']:10.0f}{figures['ffmpeg']:10.0f}{figures['libsndfile']:12.0f}"
              f"{r['samples']['saturate']:14}{r['samples']['ffmpeg']:12}{r['largest_difference_to_ffmpeg']:16.1e}")  # fmt: skip
    print("\nResamplers: seconds of audio in a CPU second, ripple up to 0.913 and worst alias from 1.0005 of Nyquist")
    for pair, peers in resampled.items():
        for name, r in peers.items():
            print(f"{pair:16}{name:12}{seconds / statistics.median(r['cpu_s']):8.0f}   {r['ripple_db']:8.5f} dB {r['worst_alias_db']:8.1f} dB")

    results = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": {"cpu": cpu_name(), "cores": os.cpu_count(), "system": platform.platform(), "load": os.getloadavg()},
        "versions": versions(),
        "seconds": seconds,
        "decoding": decoded,
        "resampling": resampled,
    }
    (HERE / "results").mkdir(exist_ok=True)
    path = HERE / "results" / f"{time.strftime('%Y-%m-%d')}.json"
    path.write_text(json.dumps(results, indent=1) + "\n")
    print(f"\nraw results: {path.relative_to(HERE.parent.parent)}")


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def versions():
    found = {"ffmpeg": run("ffmpeg", "-version").decode().split("\n")[0], "libsndfile": soundfile.__libsndfile_version__, "libsoxr": soxr.__libsoxr_version__}
    for package in ("soundfile", "soxr", "torch", "torchaudio", "numpy"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found


if __name__ == "__main__":
    main()
