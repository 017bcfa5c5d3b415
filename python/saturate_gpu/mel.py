"""Reads what `saturate mel` wrote, in every format, from any number of worker processes.

    from saturate_gpu.mel import MelDataset
    train = MelDataset("train.h5")
    loader = torch.utils.data.DataLoader(train, batch_size=32, num_workers=8, pin_memory=True)

A sample is a dictionary: "mel", float16 of shape (bands, frames), and the columns named in `columns`
("text", "path", "frames" …; all of them when it is None). Inputs that were quarantined are left out,
unless `valid_only` is false. Ragged datasets have samples of different lengths: give `frames` to cut or pad
them with `fill`, or collate them yourself.

Needs numpy, and torch for tensors (without it samples are numpy arrays); h5py for .h5. Parquet and tar files are read
with numpy alone. Nothing is opened before the first sample is asked for, so every worker has files of
its own, and features are memory-mapped: workers share one copy in the page cache.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any, Sequence

import numpy as np

try:
    import torch
    from torch.utils.data import Dataset
except ImportError:
    torch, Dataset = None, object


class MelDataset(Dataset):
    def __init__(self, path: str | os.PathLike[str], columns: Sequence[str] | None = None, valid_only: bool = True, frames: int | None = None, fill: float | None = None, tensors: bool = True) -> None:
        self.path, self.frames, self.fill = os.fspath(path), frames, fill
        self.tensors = tensors and torch is not None
        self._wanted, self._valid_only = columns, valid_only
        self._opened: tuple[int, Any] | None = None
        store = self._open()  # to know the length; what is open does not go to the workers
        self.attributes, self._rows = store.attributes, store.rows(valid_only)
        self._opened = None

    def __len__(self) -> int:
        return len(self._rows)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_opened": None}

    def _open(self) -> Any:
        if self._opened is None or self._opened[0] != os.getpid():
            self._opened = (os.getpid(), _store(self.path))
        return self._opened[1]

    def __getitem__(self, index: int) -> dict[str, Any]:
        store = self._open()
        row = int(self._rows[index])
        mel = store.mel(row)
        if self.frames is not None and mel.shape[1] != self.frames:
            fill = self.fill if self.fill is not None else (mel.min() if mel.size else 0)
            out = np.full((mel.shape[0], self.frames), fill, dtype=mel.dtype)
            n = min(self.frames, mel.shape[1])
            out[:, :n] = mel[:, :n]
            mel = out
        sample = store.columns(row, self._wanted)
        # A copy: mapped memory is read-only, and pages would be read while the batch is put together.
        sample["mel"] = torch.from_numpy(np.array(mel)) if self.tensors else mel
        return sample


def _store(path: str) -> Any:
    if os.path.isdir(path):
        return _Npy(path) if os.path.exists(os.path.join(path, "mel.npy")) else _Tar(path)
    with open(path, "rb") as f:
        head = f.read(4)
    return _Parquet(path) if head == b"PAR1" else _Hdf5(path)


def _plain(value: Any) -> Any:
    """Bytes to text, numpy's numbers to Python's."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return value.item() if isinstance(value, np.generic) else value


class _Columns:
    """Rows of one array: fixed ones by number, ragged ones by offset."""

    attributes: dict[str, Any]
    table: dict[str, Any]
    features: Any

    def mel(self, row: int) -> Any:
        if self.attributes["layout"] != "ragged":
            return self.features[row]
        bands, frames, at = int(self.attributes["n_mels"]), int(self.table["frames"][row]), int(self.table["offset"][row])
        return self.features[at:at + bands * frames].reshape(bands, frames)

    def rows(self, valid_only: bool) -> Any:
        valid = np.asarray(self.table["valid"])
        return np.flatnonzero(valid) if valid_only else np.arange(len(valid))

    def columns(self, row: int, wanted: Any) -> dict[str, Any]:
        return {name: _plain(self.table[name][row]) for name in (self.table if wanted is None else wanted)}


class _Hdf5(_Columns):
    def __init__(self, path: str | os.PathLike[str]) -> None:
        import h5py
        with h5py.File(path, "r") as f:
            self.attributes = {k: _plain(v) for k, v in f.attrs.items()}
            self.table = {k: d[()] for k, d in f.items() if k != "mel"}
            mel = f["mel"]
            offset, shape = mel.id.get_offset(), mel.shape
        # The dataset is contiguous: mapped, it is read without HDF5's lock and without a copy.
        if 0 in shape:
            self.features = np.zeros(shape, np.float16)
        else:
            self.features = np.memmap(path, np.float16, "r", offset, shape)


class _Npy(_Columns):
    def __init__(self, path: str | os.PathLike[str]) -> None:
        with open(os.path.join(path, "attributes.json")) as f:
            self.attributes = json.load(f)
        self.features = np.load(os.path.join(path, "mel.npy"), mmap_mode="r")
        self.table = {}
        self.texts: str | None = os.path.join(path, "rows.jsonl")
        for name in sorted(os.listdir(path)):
            if name.endswith(".npy") and name != "mel.npy":
                self.table[name[:-4]] = np.load(os.path.join(path, name), mmap_mode="r")

    def columns(self, row: int, wanted: Any) -> dict[str, Any]:
        if self.texts and (wanted is None or any(name not in self.table for name in wanted)):
            with open(self.texts, encoding="utf-8") as f:  # only when somebody wants texts: there may be many
                for line in f:
                    for name, value in json.loads(line).items():
                        self.table.setdefault(name, []).append(value)
            self.texts = None
        return super().columns(row, wanted)


class _Tar:
    def __init__(self, path: str | os.PathLike[str]) -> None:
        with open(os.path.join(path, "attributes.json")) as f:
            self.attributes = json.load(f)
        self.path = path
        self.shards: dict[int, Any] = {}
        self.index = np.load(os.path.join(path, "index.npy"))  # row, shard, byte, frames

    def rows(self, valid_only: bool) -> Any:
        return np.arange(len(self.index))  # quarantined inputs are not there

    def _shard(self, number: int) -> Any:
        if number not in self.shards:
            self.shards[number] = np.memmap(os.path.join(self.path, f"mel-{number:06d}.tar"), np.uint8, "r")
        return self.shards[number]

    def mel(self, row: int) -> Any:
        _, shard, at, frames = (int(v) for v in self.index[row])
        bands = int(self.attributes["n_mels"])
        start = at + 512 + 128
        return self._shard(shard)[start:start + 2 * bands * frames].view(np.float16).reshape(bands, frames)

    def columns(self, row: int, wanted: Any) -> dict[str, Any]:
        if wanted is not None and not wanted:
            return {}
        _, shard, at, frames = (int(v) for v in self.index[row])
        size = 128 + 2 * int(self.attributes["n_mels"]) * frames
        data = self._shard(shard)
        at += 512 + (size + 511) // 512 * 512
        length = int(bytes(data[at + 124:at + 135]), 8)
        values = json.loads(bytes(data[at + 512:at + 512 + length]))
        return values if wanted is None else {name: values[name] for name in wanted}


class _Parquet(_Columns):
    """The features lie in pages of one row, uncompressed, behind each other: their places are computed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        with open(path, "rb") as f:
            f.seek(-8, os.SEEK_END)
            size, = struct.unpack("<I", f.read(4))
            f.seek(-8 - size, os.SEEK_END)
            footer = _thrift_struct(f.read(size), 0)[0]
            meta = {m[1].decode(): m[2].decode() for m in footer.get(5, [])}
            self.attributes = json.loads(meta["saturate"])
            self.table = {}
            chunks = []
            for group in footer[4]:
                for c in group[1]:
                    c = c[3]
                    if len(c[3]) > 1:
                        chunks.append((group[3], c[9]))
                        continue
                    f.seek(c[9])
                    self.table.setdefault(c[3][0].decode(), []).extend(_values(f.read(c[7]), c[1], group[3]))
        self.data = np.memmap(path, np.uint8, "r")
        self.places: list[tuple[int, int]] = []
        bands, ragged = int(self.attributes["n_mels"]), self.attributes["layout"] == "ragged"
        for rows, at in chunks:
            for _ in range(rows):
                frames = self.table["frames"][len(self.places)] if ragged else int(self.attributes["row_frames"])
                page, head = _thrift_struct(self.data, at)
                at = head + page[2]  # the values are the last of the page
                self.places.append((at - 2 * bands * frames, frames))

    def mel(self, row: int) -> Any:
        at, frames = self.places[row]
        bands = int(self.attributes["n_mels"])
        return self.data[at:at + 2 * bands * frames].view(np.float16).reshape(bands, frames)


def _values(raw: bytes, kind: int, rows: int) -> list[Any]:
    body = raw[_thrift_struct(raw, 0)[1]:]
    if kind == 0:
        return [bool(body[i // 8] >> i % 8 & 1) for i in range(rows)]
    if kind in (2, 5):
        return np.frombuffer(body, "<i8" if kind == 2 else "<f8", rows).tolist()
    values, at = [], 0
    for _ in range(rows):
        n, = struct.unpack_from("<I", body, at)
        values.append(body[at + 4:at + 4 + n].decode())
        at += 4 + n
    return values


def _varint(data: Any, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = int(data[at])
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _thrift_value(data: Any, at: int, kind: int) -> tuple[Any, int]:
    if kind in (1, 2):
        return kind == 1, at
    if kind in (4, 5, 6):
        value, at = _varint(data, at)
        return (value >> 1) ^ -(value & 1), at
    if kind == 8:
        n, at = _varint(data, at)
        return bytes(data[at:at + n]), at + n
    if kind == 9:
        head = int(data[at])
        n, at = (head >> 4, at + 1) if head >> 4 != 15 else _varint(data, at + 1)
        values = []
        for _ in range(n):
            value, at = _thrift_value(data, at, head & 15)
            values.append(value)
        return values, at
    return _thrift_struct(data, at)


def _thrift_struct(data: Any, at: int) -> tuple[dict[int, Any], int]:
    """The fields of a struct by number, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while True:
        head = int(data[at])
        at += 1
        if head == 0:
            return fields, at
        number += head >> 4
        fields[number], at = _thrift_value(data, at, head & 15)
