"""How fast a DataLoader delivers with several worker counts, when nothing slows down the consumer."""

from __future__ import annotations

import importlib
import os
import sys
import time
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

AUDIO = {".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a"}
RATE = 16000


def read_audio(path: Path) -> torch.Tensor:
    """The samples of a file between -1 and 1, channels averaged. 16-bit WAV is read by Python alone."""
    if path.suffix.lower() == ".wav":
        with wave.open(str(path)) as file:
            if file.getsampwidth() == 2:
                samples = torch.frombuffer(bytearray(file.readframes(file.getnframes())), dtype=torch.int16)
                return samples.view(-1, file.getnchannels()).float().mean(-1) / 32768
    try:
        import soundfile
    except ImportError:
        raise RuntimeError("not 16-bit WAV; install soundfile for other formats") from None
    return torch.from_numpy(soundfile.read(path, dtype="float32", always_2d=True)[0]).mean(-1)


class AudioFolder(Dataset):
    """The audio files under a folder, each cut or padded to the same number of samples, so that they make a batch."""

    def __init__(self, folder: str, seconds: float) -> None:
        self.files = sorted(p for p in Path(folder).rglob("*") if p.suffix.lower() in AUDIO)
        self.samples = int(seconds * RATE)
        if not self.files:
            raise ValueError(f"{folder} has no audio files ({', '.join(sorted(AUDIO))})")

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> torch.Tensor:
        path = self.files[index]
        try:
            samples = read_audio(path)[: self.samples]
        except Exception as err:  # each reader has its own
            raise ValueError(f"{path} cannot be read: {err}") from None
        return torch.nn.functional.pad(samples, (0, self.samples - samples.shape[0]))


def open_source(source: str, seconds: float) -> Dataset | DataLoader:
    """A folder of audio, or what a factory named module:factory returns."""
    if Path(source).is_dir():
        return AudioFolder(source, seconds)
    module, colon, factory = source.partition(":")
    if not colon:
        raise ValueError(f"{source} is neither a folder nor module:factory")
    sys.path.insert(0, os.getcwd())
    try:
        made = getattr(importlib.import_module(module), factory)()
    except (ImportError, AttributeError) as err:
        raise ValueError(f"{source} cannot be used: {err}") from None
    finally:
        sys.path.pop(0)
    if not isinstance(made, (Dataset, DataLoader)) and (isinstance(made, (str, bytes, dict)) or not hasattr(made, "__getitem__")):
        raise ValueError(f"{source} returned a {type(made).__name__}, which is neither a Dataset nor a DataLoader")
    return made


def with_workers(made: Dataset | DataLoader, workers: int, batch: int, pin_memory: bool, seed: int) -> DataLoader:
    """A new loader. A DataLoader keeps all its settings except the workers."""
    common = {"num_workers": workers, "pin_memory": pin_memory}
    if isinstance(made, DataLoader):
        common |= {"collate_fn": made.collate_fn, "worker_init_fn": made.worker_init_fn}
        if isinstance(made.dataset, IterableDataset) or made.batch_sampler is None:
            return DataLoader(made.dataset, batch_size=made.batch_size, drop_last=made.drop_last, **common)
        return DataLoader(made.dataset, batch_sampler=made.batch_sampler, **common)
    if isinstance(made, IterableDataset):
        return DataLoader(made, batch_size=batch, **common)
    return DataLoader(made, batch_size=batch, shuffle=True, generator=torch.Generator().manual_seed(seed), **common)


def samples_in(batch: Any) -> int:
    """How many samples a batch holds: the length of the first tensor in it."""
    if isinstance(batch, torch.Tensor):
        return batch.shape[0] if batch.ndim else 1
    if isinstance(batch, dict):
        batch = list(batch.values())
    if isinstance(batch, (list, tuple)) and batch:
        return samples_in(batch[0]) if isinstance(batch[0], (torch.Tensor, dict, list, tuple)) else len(batch)
    return 1


def measure_loader(
    source: str,
    workers: list[int],
    batch: int = 16,
    batches: int = 20,
    repeats: int = 3,
    seconds: float = 30.0,
    pin_memory: bool = False,
    seed: int = 0,
) -> Iterator[dict[str, Any]]:
    """For each number of workers: a new loader and its first batches, several times."""
    made = open_source(source, seconds)
    dataset = made.dataset if isinstance(made, DataLoader) else made
    for count in workers:
        told: dict[str, Any] = {"samples": [], "first_batch_ms": [], "batch_ms": [], "total_ms": []}
        for repeat in range(repeats):
            loader = with_workers(made, count, batch, pin_memory, seed + repeat)
            waits, got = [], 0
            began = last = time.perf_counter()
            delivered = iter(loader)
            for _ in range(batches):
                one = next(delivered, None)
                if one is None:
                    break
                now = time.perf_counter()
                waits.append(1000 * (now - last))
                last = now
                got += samples_in(one)
            del delivered  # ends the workers, untimed
            if not waits:
                raise ValueError(f"{source} returned no data")
            told["samples"].append(got)
            told["first_batch_ms"].append(waits[0])
            told["batch_ms"].append(waits)
            told["total_ms"].append(1000 * (last - began))
        yield {
            "source": source,
            "files": len(dataset) if hasattr(dataset, "__len__") else None,
            "workers": count,
            "batch": made.batch_size if isinstance(made, DataLoader) else batch,
            "pin_memory": pin_memory,
            "start_method": torch.multiprocessing.get_start_method(),
            **told,
        }
