"""Speaks the texts and extracts their features once, ahead of training.

    python prepare.py --size small

Everything lands in a cache that is keyed by content: a WAV by its text, its voice and the code that spoke it;
the features by their WAVs and the extractor's settings. What is there already is not made again.

    cache/wav/<key>.wav
    cache/<key>/features.npy    float16, clips × mel bins × frames, made to be memory-mapped
    cache/<key>/labels.npy      int64, clips × the longest label, padded with -100
    cache/<key>/manifest.json   text, WAV and seconds of each clip
"""

import argparse
import functools
import hashlib
import json
import multiprocessing
import os
import shutil
import time
import wave
from pathlib import Path

import numpy as np
import torch
import yaml
from transformers import PreTrainedTokenizerFast, WhisperFeatureExtractor

import speech

HERE = Path(__file__).parent


def load_tokenizer(path):
    return PreTrainedTokenizerFast(
        tokenizer_file=str(path),
        bos_token="<|startoftranscript|>",
        eos_token="<|endoftext|>",
        pad_token="<|pad|>",
    )


def prepare(texts, tokenizer, voice, size, cache):
    """Returns the folder that holds the features and labels of these texts, and makes it when it is not there."""
    voice = dict(voice)
    if voice["engine"] == "auto":
        voice["engine"] = "espeak-ng" if shutil.which("espeak-ng") else "formant"
    speaker = key(voice, Path(speech.__file__).read_text())
    wavs = [cache / "wav" / f"{key(speaker, text)}.wav" for text in texts]
    labels = pad([tokens + [tokenizer.eos_token_id] for tokens in tokenizer(texts, add_special_tokens=False).input_ids])
    folder = cache / key([wav.name for wav in wavs], size["mel_bins"], size["clip_seconds"], labels.tolist())
    if folder.exists():
        return folder

    began = time.perf_counter()
    making = folder.with_name(f"{folder.name}.{os.getpid()}")
    making.mkdir(parents=True)
    (cache / "wav").mkdir(exist_ok=True)
    extractor = WhisperFeatureExtractor(
        feature_size=size["mel_bins"], sampling_rate=speech.RATE, chunk_length=size["clip_seconds"]
    )
    features = np.lib.format.open_memmap(
        making / "features.npy", "w+", np.float16, (len(texts), size["mel_bins"], extractor.nb_max_frames)
    )
    manifest = []
    make = functools.partial(make_clip, voice=voice, extractor=extractor)
    with pool() as workers:
        for i, (clip, seconds) in enumerate(workers.imap(make, zip(texts, wavs), chunksize=4)):
            features[i] = clip
            manifest.append({"text": texts[i], "wav": f"../wav/{wavs[i].name}", "seconds": seconds})
    features.flush()
    np.save(making / "labels.npy", labels)
    (making / "manifest.json").write_text(json.dumps(manifest, indent=1))
    try:
        making.rename(folder)
    except OSError:  # another run was quicker
        shutil.rmtree(making)
    print(f"prepared {len(texts)} clips in {time.perf_counter() - began:.1f} s", flush=True)
    return folder


def make_clip(text_and_wav, voice, extractor):
    text, path = text_and_wav
    if not path.exists():
        write_wav(path, speech.speak(text, voice))
    audio = read_wav(path)
    features = extractor(audio, sampling_rate=speech.RATE, return_tensors="np").input_features[0]
    return features.astype(np.float16), len(audio) / speech.RATE


def write_wav(path, samples):
    making = path.with_suffix(f".{os.getpid()}")
    with wave.open(str(making), "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(speech.RATE)
        wav.writeframes((samples * 32768).astype("<i2").tobytes())
    making.rename(path)


def read_wav(path):
    with wave.open(str(path)) as wav:
        return np.frombuffer(wav.readframes(wav.getnframes()), "<i2").astype(np.float32) / 32768


def pool():
    """One process per core, forked where that is possible, so that nothing is imported again."""
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return multiprocessing.get_context(method).Pool(cores, initializer=torch.set_num_threads, initargs=(1,))


def pad(rows):
    """One width for all batches, a multiple of 8: every step has the same shapes."""
    width = -(-max(len(row) for row in rows) // 8) * 8
    return np.array([row + [-100] * (width - len(row)) for row in rows], dtype=np.int64)


def key(*parts):
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]


def main():
    parser = argparse.ArgumentParser(description="Speaks the texts and extracts their features once.")
    parser.add_argument("--config", type=Path, default=HERE / "config.yaml")
    parser.add_argument("--size", choices=["tiny", "small"], default="tiny")
    parser.add_argument("--cache", type=Path, default=HERE / "cache")
    args = parser.parse_args()
    config = yaml.safe_load(args.config.read_text())
    texts = (args.config.parent / config["texts"]).read_text().splitlines()
    tokenizer = load_tokenizer(args.config.parent / config["tokenizer"])
    print(prepare(texts, tokenizer, config["voice"], config["sizes"][args.size], args.cache))


if __name__ == "__main__":
    main()
