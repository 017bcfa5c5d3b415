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

What `saturate mel plan`, `work` and `merge` wrote is one dataset of many shards. MelDataset opens it for access in any order; MelShards
streams it, shuffled by shard and within shards, each sample once per epoch over all ranks and workers. It can resume in mid-epoch:

    from saturate_gpu.mel import MelShards
    train = MelShards("/shared/features", batch_size=32, seed=1)
    for epoch in range(10):
        for batch in train.loader(epoch, num_workers=8):
            ...
            checkpoint["data"] = train.state_dict()   # to resume: train.load_state_dict(...), then the same loop

Without torch, `train.batches(epoch)` gives numpy arrays, for JAX as well. The command `saturate` copies shards of an object
store to a local cache while they are read; it finds credentials as AWS's tools do: MelShards("s3://features/train", cache="/local/features", keep="200GB").
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from collections import OrderedDict
from itertools import islice
from typing import Any, Iterator, Sequence

import numpy as np

try:
    import torch
    from torch.utils.data import Dataset, IterableDataset
except ImportError:
    torch, Dataset, IterableDataset = None, object, object


class MelDataset(Dataset):
    def __init__(self, path: str | os.PathLike[str], columns: Sequence[str] | None = None, valid_only: bool = True, frames: int | None = None, fill: float | None = None, tensors: bool = True,
                 cache: str | os.PathLike[str] | None = None, keep: str | int | None = None) -> None:
        self.path, self.frames, self.fill = os.fspath(path), frames, fill
        self._remote = _remote(self.path, cache, keep)
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
            self._opened = (os.getpid(), _Shards(self.path, self._remote) if self._remote else _store(self.path))
        return self._opened[1]

    def __getitem__(self, index: int) -> dict[str, Any]:
        return _sample(self._open(), int(self._rows[index]), self._wanted, self.frames, self.fill, self.tensors)


def _sample(store: Any, row: int, wanted: Any, frames: int | None, fill: float | None, tensors: bool) -> dict[str, Any]:
    mel = store.mel(row)
    if frames is not None and mel.shape[1] != frames:
        value = fill if fill is not None else (mel.min() if mel.size else 0)
        out = np.full((mel.shape[0], frames), value, dtype=mel.dtype)
        n = min(frames, mel.shape[1])
        out[:, :n] = mel[:, :n]
        mel = out
    sample: dict[str, Any] = store.columns(row, wanted)
    # A copy: mapped memory is read-only, and pages would be read while the batch is put together.
    sample["mel"] = torch.from_numpy(np.array(mel)) if tensors else mel
    return sample


class MelShards(IterableDataset):
    """The shards of a plan as a stream.

    The samples of an epoch have one order, which follows from `seed` and the epoch: shards are shuffled, and the rows of `mix` neighboring
    shards together. The order is cut into batches; rank r of R gets every R-th, and its workers take turns. So every sample comes once per epoch,
    the order does not depend on the number of workers, and an epoch can be continued by another number of workers and ranks.
    `even` leaves out the last batches where not every rank would get one: all ranks then take the same number of steps.
    `cache` is a local folder for shards of an object store, which all processes of a machine share; above `keep` ("200GB") the
    least recently used ones are deleted. `batch_size` must be the DataLoader's. Rank and world size are those of torch.distributed, JAX, or RANK and WORLD_SIZE.
    """

    def __init__(self, path: str | os.PathLike[str], batch_size: int = 32, seed: int = 0, shuffle: bool = True, mix: int = 4, even: bool = False,
                 rank: int | None = None, world_size: int | None = None, columns: Sequence[str] | None = None,
                 frames: int | None = None, fill: float | None = None, tensors: bool = True,
                 cache: str | os.PathLike[str] | None = None, keep: str | int | None = None) -> None:
        if batch_size < 1 or mix < 1:
            raise ValueError("batch_size and mix must be 1 or more")
        self.path, self.batch_size, self.seed, self.shuffle, self.mix, self.even = os.fspath(path), batch_size, seed, shuffle, mix, even
        self.frames, self.fill, self.tensors, self._wanted = frames, fill, tensors and torch is not None, columns
        self._rank, self._world, self._remote = rank, world_size, _remote(self.path, cache, keep)
        self._shards: _Shards | None = None
        shards = self._open()
        self.attributes, self.plan, self.sizes = shards.attributes, shards.plan, shards.sizes
        self._shards = None
        # The epoch and the first batch, of all ranks; shared, so that workers which stay alive see them.
        self._at: Any = np.zeros(2, np.int64) if torch is None else torch.zeros(2, dtype=torch.int64).share_memory_()
        self._taken = 0  # batches that this rank took since

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_shards": None}

    def _open(self) -> "_Shards":
        if self._shards is None or self._shards.process != os.getpid():
            self._shards = _Shards(self.path, self._remote)
            self._shards.most_open = max(_Shards.most_open, 2 * self.mix)
        return self._shards

    def place(self) -> tuple[int, int]:
        """This process's rank, and how many there are."""
        if self._rank is not None and self._world is not None:
            return self._rank, self._world
        if torch is not None and torch.distributed.is_available() and torch.distributed.is_initialized():
            return torch.distributed.get_rank(), torch.distributed.get_world_size()
        if "jax" in sys.modules:
            jax = sys.modules["jax"]
            if jax.process_count() > 1:
                return jax.process_index(), jax.process_count()
        return int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))

    def set_epoch(self, epoch: int) -> None:
        """Begins an epoch, unless load_state_dict has just chosen a place in it."""
        if int(self._at[0]) != epoch:
            self._at[0], self._at[1] = epoch, 0
        self._taken = 0

    def state_dict(self, batches: int | None = None) -> dict[str, Any]:
        """Where this rank is. `batches` are those taken since the epoch began or was continued; loader() and batches() count them."""
        _, world = self.place()
        taken = self._taken if batches is None else batches
        return {"plan": self.plan, "seed": self.seed, "batch_size": self.batch_size, "epoch": int(self._at[0]), "batch": int(self._at[1]) + taken * world}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name, mine in (("plan", self.plan), ("seed", self.seed), ("batch_size", self.batch_size)):
            if state[name] != mine:
                raise ValueError(f"the checkpoint has a different {name}: {state[name]} instead of {mine}")
        self._at[0], self._at[1], self._taken = state["epoch"], state["batch"], 0

    def _batch_numbers(self) -> tuple[int, int]:
        """The first batch of all ranks, and the end of the last."""
        _, world = self.place()
        total = -(-int(self.sizes.sum()) // self.batch_size)
        first = int(self._at[1])
        if self.even:
            total = first + (total - first) // world * world
        return first, total

    def __len__(self) -> int:
        rank, world = self.place()
        first, end = self._batch_numbers()
        mine = range(first + rank, end, world)
        if not mine:
            return 0
        rows = int(self.sizes.sum())
        return (len(mine) - 1) * self.batch_size + min(self.batch_size, rows - mine[-1] * self.batch_size)

    def _order(self, epoch: int) -> tuple[Any, Any]:
        """The order of the shards, and the number of samples before each group of them."""
        shards = np.arange(len(self.sizes))
        if self.shuffle:
            shards = np.random.default_rng([self.seed, epoch]).permutation(shards)
        ends = np.cumsum(self.sizes[shards])
        return shards, np.concatenate([[0], ends[self.mix - 1::self.mix], ends[-1:]] if len(ends) % self.mix else [[0], ends[self.mix - 1::self.mix]])

    def rows(self, numbers: Any, coming: Any = None) -> Iterator[tuple[int, int]]:
        """Shard and row of the samples of some batches, in order. `coming` is called with the shards that are next."""
        epoch, total = int(self._at[0]), int(self.sizes.sum())
        shards, begins = self._order(epoch)
        group = -1
        places: Any = None  # shard and row of the group's samples
        for number in numbers:
            for at in range(number * self.batch_size, min(total, (number + 1) * self.batch_size)):
                g = int(np.searchsorted(begins, at, side="right")) - 1
                if g != group:
                    group, members = g, shards[g * self.mix:(g + 1) * self.mix]
                    if coming is not None:
                        coming(shards[g * self.mix:(g + 2) * self.mix])
                    places = np.concatenate([np.stack([np.full(self.sizes[s], s), np.arange(self.sizes[s])], 1) for s in members])
                    if self.shuffle:
                        places = places[np.random.default_rng([self.seed, epoch, 1 + g]).permutation(len(places))]
                shard, row = places[at - begins[g]]
                yield int(shard), int(row)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        rank, world = self.place()
        first, end = self._batch_numbers()
        worker, workers = 0, 1
        info = torch.utils.data.get_worker_info() if torch is not None else None
        if info is not None:
            worker, workers = info.id, info.num_workers
        shards = self._open()
        for shard, row in self.rows(range(first + rank, end, world)[worker::workers], shards.coming):
            yield _sample(shards, shards.row(shard, row), self._wanted, self.frames, self.fill, self.tensors)

    def loader(self, epoch: int, **options: Any) -> Iterator[Any]:
        """A DataLoader's batches of an epoch, counted for state_dict(). Options are DataLoader's."""
        self.set_epoch(epoch)
        for batch in torch.utils.data.DataLoader(self, batch_size=self.batch_size, **options):
            self._taken += 1
            yield batch

    def batches(self, epoch: int) -> Iterator[dict[str, Any]]:
        """Batches of numpy arrays, without torch; samples must have one shape (give `frames` for ragged shards)."""
        self.set_epoch(epoch)
        rank, world = self.place()
        first, end = self._batch_numbers()
        shards, mine, total = self._open(), range(first + rank, end, world), int(self.sizes.sum())
        places: Iterator[tuple[int, int]] = self.rows(mine, shards.coming)
        for number in mine:
            samples = [_sample(shards, shards.row(s, r), self._wanted, self.frames, self.fill, False)
                       for s, r in islice(places, min(self.batch_size, total - number * self.batch_size))]
            self._taken += 1
            yield {name: np.stack([x[name] for x in samples]) if name == "mel" else [x[name] for x in samples] for name in samples[0]}


class _Shards:
    """All shards that an index names. A row's number counts the usable rows of all shards."""

    most_open = 16

    def __init__(self, path: str, remote: "_Remote | None" = None) -> None:
        self.remote = remote
        with open(remote.index() if remote else os.path.join(path, "dataset.json")) as f:
            index = json.load(f)
        if index.get("kind") != "mel":
            raise ValueError(f"{path} holds shards of saturate {index.get('kind')}, not of saturate mel")
        self.path, self.plan, self.process = path, index["plan"], os.getpid()
        self.attributes = index["settings"]["attributes"]
        # A shard's features; for a tar archive, also its index. Readers need nothing else of a shard.
        self.files = [s["files"][:2 if s["files"][0]["name"].endswith(".tar") else 1] for s in index["shards"]]
        self.sizes = np.array([s["detail"]["valid"] for s in index["shards"]], np.int64)
        self.begins = np.concatenate([[0], np.cumsum(self.sizes)])
        self.opened: OrderedDict[int, tuple[Any, Any]] = OrderedDict()

    def rows(self, valid_only: bool) -> Any:
        if not valid_only:
            raise ValueError("valid_only=False is not supported for shards: read a shard's own file")
        return np.arange(self.begins[-1])

    def row(self, shard: int, row: int) -> int:
        return int(self.begins[shard]) + row

    def coming(self, shards: Any) -> None:
        """Fetches shards that will be read soon."""
        if self.remote:
            self.remote.ask([f for shard in shards if shard not in self.opened for f in self.files[shard]])

    def _open(self, shard: int) -> Any:
        files = self.files[shard]
        for _ in range(100):
            names = self.remote.get(files) if self.remote else [os.path.join(self.path, *f["name"].split("/")) for f in files]
            try:
                return _TarShard(names[0], names[1], self.attributes) if names[0].endswith(".tar") else _store(names[0])
            except FileNotFoundError:
                if not self.remote:  # otherwise another process has just used the space in the cache
                    raise
        raise OSError(f"{self.remote and self.remote.cache} cannot hold the shards that are being read; give a larger keep")

    def _find(self, row: int) -> tuple[Any, int]:
        shard = int(np.searchsorted(self.begins, row, side="right")) - 1
        if shard not in self.opened:
            store = self._open(shard)
            self.opened[shard] = store, store.rows(True)
            if len(self.opened) > self.most_open:
                self.opened.popitem(last=False)
        self.opened.move_to_end(shard)
        store, valid = self.opened[shard]
        return store, int(valid[row - self.begins[shard]])

    def mel(self, row: int) -> Any:
        store, at = self._find(row)
        return store.mel(at)

    def columns(self, row: int, wanted: Any) -> dict[str, Any]:
        store, at = self._find(row)
        found: dict[str, Any] = store.columns(at, wanted)
        return found


class _Remote:
    """Shards of an object store in a local cache. Each process has `saturate mel fetch` as a child, which ends with it."""

    def __init__(self, place: str, cache: str, keep: str | None) -> None:
        self.place, self.cache, self.keep = place, cache, keep
        self.local = ""  # the index; workers open the one that the first process has fetched
        self._child: Any = None
        self._process, self._asked, self._got = 0, set[str](), dict[str, str]()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_child": None, "_process": 0, "_asked": set(), "_got": {}}

    def index(self) -> str:
        if not self.local:
            self.local = self.get([{"name": "dataset.json"}])[0]
        return self.local

    def ask(self, files: Sequence[dict[str, Any]]) -> None:
        if self._process != os.getpid():
            self._start()
        try:
            for f in files:
                if f["name"] not in self._asked and f["name"] not in self._got:
                    self._asked.add(f["name"])
                    self._child.stdin.write(json.dumps(f) + "\n")
            self._child.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def _ended(self) -> OSError:
        return OSError(f"saturate mel fetch {self.place} ended with code {self._child.wait()}")

    def get(self, files: Sequence[dict[str, Any]]) -> list[str]:
        self.ask(files)
        for f in files:
            while f["name"] not in self._got:
                line = self._child.stdout.readline()
                if not line:
                    raise self._ended()
                answer = json.loads(line)
                self._asked.discard(answer["name"])
                if "error" in answer:
                    raise OSError(answer["error"])
                self._got[answer["name"]] = answer["path"]
        return [self._got.pop(f["name"]) for f in files]

    def _start(self) -> None:
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])  # the environment's own first
        binary = os.environ.get("SATURATE") or shutil.which("saturate", path=path) or "saturate"
        command = [binary, "mel", "fetch", self.place, "--cache", self.cache, "--stdin", *(["--keep", self.keep] if self.keep else [])]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._process, self._asked, self._got = os.getpid(), set(), {}


def _remote(place: str, cache: str | os.PathLike[str] | None, keep: str | int | None) -> "_Remote | None":
    if not place.startswith("s3://"):
        if cache is not None or keep is not None:
            raise ValueError(f"cache and keep are for object stores; {place} is read in place")
        return None
    if cache is None:
        raise ValueError(f'{place} needs a local folder for the shards that are being read; give cache="FOLDER"')
    return _Remote(place, os.path.abspath(os.fspath(cache)), None if keep is None else str(keep))


def _store(path: str) -> Any:
    if os.path.isdir(path):
        if os.path.exists(os.path.join(path, "dataset.json")):
            return _Shards(path)
        if os.path.exists(os.path.join(path, "plan.json")):
            raise ValueError(f"{path} is a plan without an index; run: saturate mel merge {path}")
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
            with open(self.texts, encoding="utf-8") as f:  # only when texts are asked for: there may be many
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
        return np.arange(len(self.index))  # without quarantined inputs

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


class _TarShard(_Tar):
    def __init__(self, path: str, index: str, attributes: dict[str, Any]) -> None:
        self.path, self.attributes, self.index = path, attributes, np.load(index)
        self.data = np.memmap(path, np.uint8, "r")  # now: later it may be gone from the cache

    def _shard(self, number: int) -> Any:
        return self.data


class _Parquet(_Columns):
    """The features are stored uncompressed, one row per page, in order: their offsets are computed."""

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
                at = head + page[2]  # the values come last in the page
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
