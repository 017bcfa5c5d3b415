"""The recipes: each takes a list of audio files and an output, and makes features of all of them.

As a program: recipes.py NAME CORES FSYNC OUTPUT < list of files. It imports first, then works, and prints
{"wall": s, "cpu": s} of the work alone, its child processes included.
"""
import json
import multiprocessing
import os
import resource
import sys
import time

import numpy as np

RATE, BANDS, FRAMES = 16000, 80, 3000


def flush(path):
    f = os.open(path, os.O_RDONLY)
    os.fsync(f)
    os.close(f)


def split(files, cores, part, out, fsync):
    """Runs part(files, out) in as many processes as there are cores, each with an output of its own."""
    if cores == 1:
        part(files, out)
        outs = [out]
    else:
        outs = [f"{out}.{i}" for i in range(cores)]
        jobs = [multiprocessing.Process(target=part, args=(files[i::cores], outs[i])) for i in range(cores)]
        for j in jobs:
            j.start()
        for j in jobs:
            j.join()
            assert j.exitcode == 0
    if fsync:
        for o in outs:
            flush(o)


def extractor():
    from transformers import WhisperFeatureExtractor
    return WhisperFeatureExtractor(feature_size=BANDS)


def hf_padded(dtype):
    """soundfile, WhisperFeatureExtractor, h5py: rows of 30 s."""
    def prepare():
        import h5py
        import soundfile
        hf = extractor()

        def part(files, out):
            with h5py.File(out, "w") as f:
                mel = f.create_dataset("mel", (len(files), BANDS, FRAMES), dtype)
                for i, path in enumerate(files):
                    x, rate = soundfile.read(path, dtype="float32")
                    mel[i] = hf(x, sampling_rate=rate, return_tensors="np")["input_features"][0]
        return part
    return prepare


def hf_lean():
    """The same without padding: a data set a file, float16."""
    import h5py
    import soundfile
    hf = extractor()

    def part(files, out):
        with h5py.File(out, "w") as f:
            for i, path in enumerate(files):
                x, rate = soundfile.read(path, dtype="float32")
                mel = hf(x, sampling_rate=rate, return_tensors="np", padding=False, truncation=False)["input_features"][0]
                f.create_dataset(str(i), data=mel.astype(np.float16))
    return part


def torchaudio_lean():
    """soundfile, torchaudio's MelSpectrogram, h5py, without padding, float16."""
    import h5py
    import soundfile
    import torch
    import torchaudio
    torch.set_num_threads(1)
    spectrogram = torchaudio.transforms.MelSpectrogram(
        RATE, n_fft=400, hop_length=160, n_mels=BANDS, f_min=0, f_max=8000, power=2, norm="slaney", mel_scale="slaney")

    def part(files, out):
        with h5py.File(out, "w") as f:
            for i, path in enumerate(files):
                x, _ = soundfile.read(path, dtype="float32")
                log = torch.clamp(spectrogram(torch.from_numpy(x))[..., :-1], min=1e-10).log10()
                mel = (torch.maximum(log, log.max() - 8) + 4) / 4
                f.create_dataset(str(i), data=mel.numpy().astype(np.float16))
    return part


def lhotse_lean():
    """lhotse: WhisperFbank on arrays by soundfile, NumpyHdf5Writer, without padding, float32."""
    import soundfile
    from lhotse.features.io import NumpyHdf5Writer
    from lhotse.features.whisper_fbank import WhisperFbank, WhisperFbankConfig
    import torch
    torch.set_num_threads(1)
    bank = WhisperFbank(WhisperFbankConfig(num_filters=BANDS))

    def part(files, out):
        with NumpyHdf5Writer(out + ".h5") as writer:
            for i, path in enumerate(files):
                x, rate = soundfile.read(path, dtype="float32")
                writer.write(str(i), bank.extract(x, rate))
        os.rename(out + ".h5", out)
    return part


def datasets_map(files, cores, out, fsync):
    """datasets.map, soundfile for the audio (faster than an Audio column), written to Arrow files."""
    import datasets
    import soundfile
    datasets.disable_progress_bars()
    hf = extractor()

    def features(row):
        x, rate = soundfile.read(row["path"], dtype="float32")
        return {"input_features": hf(x, sampling_rate=rate, return_tensors="np")["input_features"][0]}

    data = datasets.Dataset.from_dict({"path": files})
    data.map(features, num_proc=cores if cores > 1 else None, cache_file_name=out + ".arrow", writer_batch_size=100)
    if fsync:
        folder, name = os.path.split(out)
        for f in os.listdir(folder):
            if f.startswith(name):
                flush(os.path.join(folder, f))


def datasets_audio(files, cores, out, fsync):
    """datasets.map with an Audio column, as the guides to fine-tuning Whisper have it, written to Arrow files."""
    import datasets
    datasets.disable_progress_bars()
    hf = extractor()

    def features(row):
        audio = row["audio"]
        return {"input_features": hf(audio["array"], sampling_rate=audio["sampling_rate"]).input_features[0]}

    data = datasets.Dataset.from_dict({"audio": files}).cast_column("audio", datasets.Audio(sampling_rate=RATE))
    data.map(features, remove_columns=["audio"], num_proc=cores if cores > 1 else None, cache_file_name=out + ".arrow", writer_batch_size=100)


def read_only():
    """Reading the bytes alone."""
    def part(files, out):
        for path in files:
            with open(path, "rb", buffering=0) as f:
                f.readall()
        open(out, "wb").close()
    return part


def write_only():
    """Writing as many bytes as padded features take, alone."""
    def part(files, out):
        row = os.urandom(BANDS * FRAMES * 2)
        with open(out, "wb", buffering=0) as f:
            for _ in files:
                f.write(row)
    return part


RECIPES = {
    "hf padded f32": hf_padded("f4"), "hf padded f16": hf_padded("f2"), "hf lean": hf_lean, "torchaudio lean": torchaudio_lean,
    "lhotse lean": lhotse_lean, "read only": read_only, "write only": write_only,
}


def cpu():
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def main():
    name, cores, fsync, out = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "fsync", sys.argv[4]
    files = sys.stdin.read().split("\n")
    os.sched_setaffinity(0, set(range(cores)))
    if name.startswith("datasets.map"):
        import datasets, soundfile, torch, transformers  # noqa: F401, not part of the work
        extractor()
        if name.endswith("audio"):
            import librosa  # noqa: F401, which the column resamples with
        build = datasets_audio if name.endswith("audio") else datasets_map
        work = lambda: build(files, cores, out, fsync)
    else:
        part = RECIPES[name]()
        work = lambda: split(files, cores, part, out, fsync)
    start, before = time.perf_counter(), cpu()
    work()
    print(json.dumps({"wall": time.perf_counter() - start, "cpu": cpu() - before}))


if __name__ == "__main__":
    main()
