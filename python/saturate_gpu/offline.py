"""Reads from disk what is the same in every epoch, instead of computing it again.

    audio = kept("speech", lambda: speak(text, voice), text, voice)

returns what speak(text, voice) returns, bit for bit: from the folder offline/ if it is listed there, else by the call.
An entry is found by the inputs after the function, by the source of your functions that it calls, and by the plain
values they use. SATURATE_OFFLINE_DIR moves the folder.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import io
import itertools
import json
import math
import numbers
import os
import random
import shutil
import struct
import sys
import tempfile
import types
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, NoReturn, Sequence

# A line that ends with "only: X" is left out, with what it holds, where code is copied into a project that has no X.

Form = dict[str, Any]  # JSON
Make = Callable[[], Any]
Update = Callable[[bytes], object]  # of a hash


class Cache:
    """What the project caches, where, and whether that is being computed now."""

    def __init__(self) -> None:
        self.places: dict[str, Form] = {}
        self.shelves: dict[str, Shelf] = {}
        self.command = ""  # that fills the cache
        self.here = self.folder = Path("offline")  # of the project's module saturate_offline; of the cache
        self.preparing = self.checking = False  # the script fills the cache; computes each value twice
        self.refused: dict[str, str] = {}  # places that cannot be cached, and why
        self.varied: dict[str, str] = {}  # places whose values differ each time
        self.turn: list[int] = []  # of the current sample: which option each draw returns  # only: drawn
        self.draws: list[int] = []  # and how many each has  # only: drawn
        self.rounds = 0  # how often it was computed  # only: drawn
        self.builder: Any = None  # lets saturate mel build features  # only: mel


cache = Cache()


def setup(file: str, command: str, places: dict[str, Form]) -> None:
    """Say what is cached, in which project. For each place: what it is, and your functions that compute it."""
    cache.here, cache.command = Path(file).resolve().parent, command
    cache.folder = Path(os.environ.get("SATURATE_OFFLINE_DIR") or cache.here / "offline")
    cache.places = places
    cache.shelves = {place: Shelf(place) for place in places}  # now, so that worker processes share what was read


def kept(place: str, make: Callable[..., Any], *inputs: Any, rows: Form | None = None, rate: int | None = None, copy: bool = False) -> Any:
    """Return what make() returns, from disk if cached. With copy, the caller may remove a returned file.

    With rows, the values of a batch, make takes them and each row is cached on its own.
    """
    if any(getattr(part, "requires_grad", False) for part in inputs):
        return make(**rows or {})  # gradients flow through it: not data
    if rows:  # only: rows
        return _by_row(place, make, inputs, rows, rate, copy)
    return _kept(place, make, make.__code__, inputs, rate, copy)


def _by_row(place: str, make: Callable[..., Any], inputs: tuple[Any, ...], rows: Form, rate: int | None, copy: bool) -> Any:  # only: rows
    count = min(map(_rows, rows.values()))
    parts = [{name: _row(value, at) for name, value in rows.items()} for at in range(count)]
    if not parts or max(map(_rows, rows.values())) != count:
        cache.shelves[place].asked += 1
        return make(**rows)
    made = [_kept(place, functools.partial(make, **part), make.__code__, (*part.values(), *inputs), rate, copy) for part in parts]
    try:
        value = _joined(made) if count > 1 else made[0]
    except (TypeError, ValueError, RuntimeError):  # the rows have different lengths
        value = make(**rows)
        alone = False
    else:
        alone = not cache.checking or count == 1 or _sum(value) == _sum(make(**rows))
    if not alone and cache.preparing:
        cache.refused[place] = f"the rows of a batch depend on each other in {cache.places[place]['what']}"
    return value


def _rows(value: Any) -> int:  # only: rows
    return min(map(len, value.values()), default=0) if hasattr(value, "keys") else len(value)


def _row(value: Any, at: int) -> Any:  # only: rows
    return {name: part[at : at + 1] for name, part in value.items()} if hasattr(value, "keys") else value[at : at + 1]


def _joined(made: list[Any]) -> Any:  # only: rows
    """The batch of these rows."""
    first = made[0]
    if type(first) is tuple:  # several values, each with its rows
        return tuple(_joined([row[at] for row in made]) for at in range(len(first)))
    if hasattr(first, "keys"):
        return type(first)({name: _joined([row[name] for row in made]) for name in first})
    if type(first) is list:
        return [item for row in made for item in row]
    torch = sys.modules.get("torch")
    if torch and type(first) is torch.Tensor:
        return torch.cat(made)
    import numpy as np

    if type(first) is not np.ndarray:
        raise TypeError(type(first))
    return np.concatenate(made)


def _kept(place: str, make: Make, code: types.CodeType, inputs: tuple[Any, ...], rate: int | None, copy: bool) -> Any:
    shelf = cache.shelves[place]
    shelf.asked += 1
    key = shelf.key(code, inputs)
    entry = shelf.entries.get(key)
    if entry is not None:
        try:
            value = _read(shelf.folder, entry["value"], copy)
            shelf.latest = entry  # only: mel
            if cache.checking:
                _check(place, value, make)
            return value
        except (OSError, ValueError, EOFError):
            pass  # the file is missing or truncated
    value = cache.builder.make(shelf, key, make, inputs) if cache.builder else make()
    if not cache.preparing:
        shelf.miss(inputs)
        return value
    try:
        shelf.put(key, value, inputs, rate)
        if cache.checking:
            _check(place, value, make)
    except TypeError as error:
        cache.refused[place] = str(error)
    return value


def _check(place: str, value: Any, make: Make) -> None:
    """Compute a value again. If the inputs do not determine it, nothing is cached."""
    again, what = make(), cache.places[place]["what"]
    if cache.builder and cache.builder.compares(place, value, again):  # only: mel
        return
    if _sum(value) == _sum(again):
        return
    if _sum(again) == _sum(make()):
        cache.refused[place] = f"the result of {what} does not depend on the inputs alone"
    else:
        cache.varied[place] = f"the result of {what} differs each time; one take is cached"


def _sum(value: Any) -> bytes:
    hash = hashlib.sha256()
    for part in value if isinstance(value, tuple) else (value,):
        _digest(Path(part).read_bytes() if isinstance(part, (str, Path)) and os.path.isfile(part) else part, hash.update)
    return hash.digest()


def drawn(draw: Make, options: Sequence[Any]) -> Any:  # only: drawn
    """Return what draw() returns; while the cache is filled, each option in turn."""
    if not cache.preparing:
        return draw()
    at = len(cache.draws)
    cache.draws.append(len(options))
    return options[min(cache.turn[at], len(options) - 1) if at < len(cache.turn) else 0]


def leading(transform: Any) -> list[Any]:  # only: compose
    """The first transforms of a Compose that draw nothing and return an image: their result can be cached."""
    fixed = ("Resize", "CenterCrop", "Grayscale", "Pad", "RGB")

    def draws(part: Any) -> bool:
        return not type(part).__module__.startswith("torchvision.transforms") or type(part).__name__ not in fixed

    composed = type(transform).__module__.startswith("torchvision.transforms") and type(transform).__name__ == "Compose"
    return list(itertools.takewhile(lambda part: not draws(part), transform.transforms)) if composed else []


def first(transform: Any, image: Any) -> Any:  # only: compose
    """The image after the leading transforms."""
    return _apply(leading(transform), image)


def rest(transform: Any) -> Any:  # only: compose
    """What is left to do after the leading transforms."""
    done = len(leading(transform))
    return functools.partial(_apply, transform.transforms[done:]) if done else transform


def _apply(parts: Iterable[Any], image: Any) -> Any:  # only: compose
    for part in parts:
        image = part(image)
    return image


def folder(place: str, dataset: Any) -> Any:  # only: folder
    """Let an ImageFolder read its images, after the leading transforms, from the cache."""
    dataset.loader = functools.partial(_load, place, dataset.loader, leading(dataset.transform))
    dataset.transform = rest(dataset.transform)
    return dataset


def _load(place: str, loader: Callable[[str], Any], parts: list[Any], path: str) -> Any:  # only: folder
    return kept(place, lambda: _apply(parts, loader(path)), path, loader, parts)


class Enough(BaseException):  # only: mel
    """Everything to cache of the current sample is cached: the rest of it is not needed."""


class Shelf:
    """The files of one place, and their list."""

    def __init__(self, place: str) -> None:
        self.place, self.about = place, cache.places[place]
        self.folder = cache.folder / place
        self.manifest = self.folder / "manifest.jsonl"
        self.asked = self.missed = 0
        self.added = 0  # only: stream
        self.latest: Form | None = None  # only: mel
        self.codes: dict[types.CodeType, bytes] = {}
        self.reload()

    def reload(self) -> None:
        self.entries = {entry["key"]: entry for entry in self.listed()}

    def listed(self) -> Iterator[Form]:
        """The lines of the manifest, oldest first; a process that was killed may leave half a line."""
        for line in self.manifest.read_bytes().split(b"\n") if self.manifest.exists() else ():
            try:
                yield json.loads(line)
            except ValueError:
                pass

    def key(self, code: types.CodeType, inputs: tuple[Any, ...]) -> str:
        if code not in self.codes:
            own = hashlib.sha256(self.place.encode())
            _digest_code(code, own.update)
            for path, names in self.about["code"].items():
                _digest_functions(cache.here / path, names, own.update)
            for name in self.about.get("env", ()):  # only: env
                _digest((name, os.environ.get(name)), own.update)
            self.codes[code] = own.digest()
        hash = hashlib.sha256(self.codes[code])
        for part in inputs:
            _digest(part, hash.update, self.about.get("files", False))
        return hash.hexdigest()[:32]

    def miss(self, inputs: tuple[Any, ...]) -> None:
        self.missed += 1
        if self.missed == 1:
            what = next((repr(part)[:60] for part in inputs if isinstance(part, str)), self.place)
            why = "is not in" if self.entries else "was computed now: missing"
            print(f"saturate_offline: {what} {why} {self.manifest}; {cache.command}", file=sys.stderr)

    def put(self, key: str, value: Any, inputs: tuple[Any, ...], rate: int | None) -> None:
        if cache.builder and cache.builder.noted == key:  # only: mel
            return
        writer = Writer(self.folder, self.about.get("wav", False))
        self.note(key, writer.form(value, rate), inputs, writer.facts)

    def note(self, key: str, form: Form, inputs: tuple[Any, ...], facts: Form) -> None:
        text = max((part for part in inputs if isinstance(part, str)), key=len, default="")
        entry = {"file": form.get("file"), "text": str(text), **facts, "key": key, "value": form}
        if self.about.get("wav"):  # only: wav
            entry["audio_filepath"] = entry.pop("file")
        self.append(entry)
        self.entries[key] = entry
        self.latest = entry  # only: mel
        self.added += 1  # only: stream

    def append(self, entry: Form) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        manifest = os.open(self.manifest, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.write(manifest, _line(entry))  # in one write: several processes append here
        os.close(manifest)

    def finish(self) -> int:
        """Leave one line for each entry whose files are complete."""
        listed = list(self.listed())
        self.entries = {entry["key"]: entry for entry in listed if _whole(self.folder, entry["value"])}
        self.folder.mkdir(parents=True, exist_ok=True)
        _write_whole(self.manifest, b"".join(map(_line, self.entries.values())))
        for name in _files(listed) - _files(self.entries.values()):  # replaced by another entry  # only: mel
            _remove(self.folder / name)
        return len(self.entries)


def _line(entry: Form) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


# --- values as files -------------------------------------------------------------------------


class Writer:
    """Writes a value as files, and as JSON that names them."""

    def __init__(self, folder: Path, wav: bool) -> None:
        self.folder, self.wav = folder, wav
        self.facts: Form = {}  # about the files

    def store(self, data: bytes, suffix: str) -> Form:
        """A file is named after its content: entries with the same content share it."""
        hash = hashlib.sha256(data).hexdigest()
        self.facts.setdefault("sha256", hash)
        form: Form = {"file": f"{hash[:2]}/{hash[:32]}{suffix}", "size": len(data)}
        if not _whole(self.folder, form):
            (self.folder / hash[:2]).mkdir(parents=True, exist_ok=True)
            _write_whole(self.folder / form["file"], data)
        return form

    def form(self, x: Any, rate: int | None = None) -> Form:
        if x is None or isinstance(x, (bool, int, float)):
            return {"is": "plain", "plain": x}
        if isinstance(x, (str, os.PathLike)) and os.path.isfile(x):  # only: path
            return {"is": "path" if isinstance(x, str) else "Path", **self.store(Path(x).read_bytes(), Path(x).suffix)}
        if isinstance(x, str):
            return {"is": "plain", "plain": str(x)}
        if isinstance(x, (bytes, bytearray)):
            return {"is": "bytes", **self.store(bytes(x), ".wav" if x[:4] == b"RIFF" else ".bin")}
        if type(x) in (tuple, list):
            for n in x if self.wav else ():  # only: wav
                rate = int(n) if isinstance(n, numbers.Integral) and 4000 <= int(n) <= 192000 else rate
            return {"is": type(x).__name__, "items": [self.form(item, rate) for item in x]}
        if type(x) is dict and all(isinstance(name, str) for name in x):
            return {"is": "dict", "names": list(x), "items": [self.form(item, rate) for item in x.values()]}
        if type(x).__module__.startswith("transformers.") and type(x).__name__ in ("BatchFeature", "BatchEncoding"):  # only: transformers
            return {**self.form(dict(x.data), rate), "is": type(x).__name__}
        if type(x).__module__.startswith("PIL."):  # only: image
            return self.image(x)
        return self.array(x, rate)

    def image(self, x: Any) -> Form:  # only: image
        if x.mode in ("P", "PA") or "transparency" in x.info:
            _refuse(x)
        return {"is": "image", "mode": x.mode, "shape": x.size, "exif": self.form(x.info.get("exif")), **self.store(x.tobytes(), ".raw")}

    def array(self, x: Any, rate: int | None) -> Form:
        import numpy as np

        torch, out = sys.modules.get("torch"), {"is": "array"}
        if torch and type(x) is torch.Tensor:
            out, x = {"is": "tensor"}, x.detach().cpu()
            if x.dtype == torch.bfloat16:
                out["view"], x = "bfloat16", x.view(torch.int16)
            x = x.numpy()
        elif isinstance(x, np.generic):
            out, x = {"is": "scalar"}, np.asarray(x)
        if type(x) is not np.ndarray or x.dtype.hasobject:
            _refuse(x)
        if self.wav and rate and x.size and x.size in x.shape:  # only: wav
            for how, plain in _plain_wav(x, np):
                if _as_array(plain, how, x.dtype.str, x.shape, np).tobytes() == x.tobytes():
                    self.facts["duration"] = round(x.size / rate, 6)
                    stored = self.store(_wav_header(plain, rate) + plain.tobytes(), ".wav")
                    return {**out, **stored, "how": how, "dtype": x.dtype.str, "shape": x.shape}
        content = io.BytesIO()
        np.save(content, x, allow_pickle=False)
        return {**out, **self.store(content.getvalue(), ".npy")}


def _refuse(x: Any) -> NoReturn:
    raise TypeError(f"a {type(x).__module__}.{type(x).__qualname__} cannot be cached; only bytes, arrays, tensors, files and plain values can")


def _plain_wav(x: Any, np: Any) -> Iterator[tuple[str, Any]]:  # only: wav
    """The formats for an array of samples; the caller takes the first that restores it bit for bit."""
    x = x.reshape(-1)
    if x.dtype == np.int16:
        yield "int16", x.astype("<i2")
    elif x.dtype.kind == "f" and np.isfinite(x).all():
        for scale in (32768, 32767):
            if np.abs(x).max() * scale <= 32768:
                yield f"int16/{scale}", np.clip(np.round(x * scale), -32768, 32767).astype("<i2")
        yield "float32", x.astype("<f4")


def _as_array(plain: Any, how: str, dtype: str, shape: Any, np: Any) -> Any:  # only: wav
    x = plain
    if how.startswith("int16/"):
        x = plain.astype(dtype)
        x /= int(how[6:])
    return x.astype(dtype, copy=False).reshape(shape)


def _wav_header(plain: Any, rate: int) -> bytes:  # only: wav mel
    """A header of 44 bytes, for 16-bit integers and for 32-bit floats."""
    bits, size = 8 * plain.itemsize, plain.nbytes
    kind = 1 if plain.dtype.kind == "i" else 3
    fmt = struct.pack("<4sIHHIIHH", b"fmt ", 16, kind, 1, rate, rate * bits // 8, bits // 8, bits)
    return struct.pack("<4sI4s", b"RIFF", 36 + size, b"WAVE") + fmt + struct.pack("<4sI", b"data", size)


def leaves(form: Form) -> list[Form]:  # only: mel
    """The parts of a value that have no parts."""
    return [leaf for item in form["items"] for leaf in leaves(item)] if "items" in form else [form]


def _files(entries: Any) -> set[str]:  # only: mel
    parts = [leaf for entry in entries for leaf in leaves(entry["value"])]
    return {leaf["mel"]["part"] if "part" in leaf.get("mel", {}) else leaf["file"] for leaf in parts if "part" in leaf.get("mel", {}) or "file" in leaf}


def _remove(path: Path) -> None:  # only: mel
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


_readers: dict[str, Any] = {}  # of files written by saturate mel  # only: mel


def _built(folder: Path, form: Form, np: Any) -> Any:  # only: mel
    """A row written by saturate mel, in the form of the user's extractor."""
    place = form["mel"]
    if "part" not in place:
        raise ValueError("not built yet")
    path = str(folder / place["part"])
    if path not in _readers:
        from .mel import MelDataset

        _readers[path] = MelDataset(path, columns=[], valid_only=False, tensors=False)
    x, torch = np.array(_readers[path][place["row"]]["mel"]), sys.modules.get("torch")
    if torch is not None and form["dtype"] == "<f4":
        x = torch.from_numpy(x).float().numpy()  # several times faster than numpy
    return x.astype(form["dtype"], copy=False).reshape(form["shape"])


def _read(folder: Path, form: Form, copy: bool = False) -> Any:
    kind = form["is"]
    if kind == "plain":
        return form["plain"]
    if "items" in form:
        items = [_read(folder, item, copy) for item in form["items"]]
        if kind in ("BatchFeature", "BatchEncoding"):  # only: transformers
            import transformers

            return getattr(transformers, kind)(dict(zip(form["names"], items)))
        return dict(zip(form["names"], items)) if kind == "dict" else tuple(items) if kind == "tuple" else items
    path = folder / form.get("file", "")
    if kind == "bytes":
        return path.read_bytes()
    if kind in ("path", "Path"):  # only: path
        if path.stat().st_size != form["size"]:
            raise ValueError(f"{path} is truncated")
        if copy:  # only: copy
            handle, name = tempfile.mkstemp(suffix=path.suffix)
            os.close(handle)
            path = Path(shutil.copyfile(path, name))
        return str(path) if kind == "path" else path
    if kind == "image":  # only: image
        from PIL import Image

        image = Image.frombytes(form["mode"], form["shape"], path.read_bytes())
        image.info = {"exif": exif} if (exif := _read(folder, form["exif"])) else {}
        return image
    x = _array(folder, form)
    if kind == "tensor":
        import torch

        x = torch.from_numpy(x)
        return x.view(getattr(torch, form["view"])) if "view" in form else x
    return x[()] if kind == "scalar" else x


def _array(folder: Path, form: Form) -> Any:
    import numpy as np

    if "mel" in form:  # only: mel
        return _built(folder, form, np)
    if "how" in form:  # only: wav
        plain = np.fromfile(folder / form["file"], dtype="<f4" if form["how"] == "float32" else "<i2", offset=44)
        return _as_array(plain, form["how"], form["dtype"], form["shape"], np)
    return np.load(folder / form["file"], allow_pickle=False)


def _whole(folder: Path, form: Form) -> bool:
    if "items" in form:
        return all(_whole(folder, item) for item in form["items"])
    if "mel" in form:  # only: mel
        return "part" in form["mel"] and (folder / form["mel"]["part"] / "mel.npy").exists()
    try:
        return "file" not in form or (folder / form["file"]).stat().st_size == form["size"]
    except OSError:
        return False


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically."""
    temporary = path.parent / f".{path.name}.{os.getpid()}"
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


# --- inputs as keys --------------------------------------------------------------------------


def _digest(x: Any, update: Update, files: bool = False, depth: int = 0) -> None:
    """Feed a hash with what identifies a value, the same in every process. With files, a file counts by its place and age."""
    if hasattr(x, "shape") and hasattr(x, "item") and math.prod(x.shape) == 1:
        x = x.item()  # a number in any container
    if hasattr(x, "detach") and hasattr(x, "numpy"):
        update(str(x.dtype).encode())
        x = (x.detach().cpu().float() if "bfloat16" in str(x.dtype) else x.detach().cpu()).numpy()
    x = memoryview(x) if isinstance(x, (bytes, bytearray)) else os.fspath(x) if isinstance(x, os.PathLike) else x
    if isinstance(x, (tuple, list, dict, set, frozenset)):
        update(b"%d:" % len(x))
        for part in sorted(map(repr, x)) if isinstance(x, (set, frozenset)) else x.items() if isinstance(x, dict) else x:
            _digest(part, update, files, depth + 1)
    elif hasattr(x, "tobytes") and not getattr(getattr(x, "dtype", None), "hasobject", False):
        update(f"{getattr(x, 'dtype', '')}{getattr(x, 'mode', '')}{getattr(x, 'shape', '') or x.size}:".encode() + x.tobytes())
    elif isinstance(x, (str, int, float)) or not hasattr(x, "__dict__"):
        file = files and isinstance(x, str) and len(x) < 1024 and os.path.isfile(x)
        text = repr(_place(x) if file else x)
        update((text if " at 0x" not in text or isinstance(x, str) else type(x).__qualname__).encode() + b";")
        if file:
            age = os.stat(x)
            update(b"@%d,%d;" % (age.st_size, age.st_mtime_ns))
    elif depth:
        _digest_object(x, update, files, depth)
    else:  # remembered, so that a model is not hashed for every sample
        if id(x) not in _objects or _objects[id(x)][0] is not x:
            hash = hashlib.sha256()
            _digest_object(x, hash.update, files, 0)
            _objects[id(x)] = (x, hash.digest())
        update(_objects[id(x)][1])


def _place(path: str) -> str:
    """A file as the project sees it, however the program spells it."""
    try:
        return os.path.relpath(path, cache.here)
    except ValueError:  # on another drive
        return os.path.abspath(path)


_objects: dict[int, tuple[Any, bytes]] = {}


def _digest_object(x: Any, update: Update, files: bool, depth: int) -> None:
    """An object is identified by its class and its data, a function by its code and what it holds."""
    named = x if isinstance(x, (type, types.FunctionType, types.ModuleType)) else type(x)
    update(f"<{getattr(named, '__module__', '')}.{getattr(named, '__qualname__', '')}>".encode())
    if isinstance(x, types.FunctionType):
        _digest_code(x.__code__, update)
        held = [cell.cell_contents for cell in x.__closure__ or () if cell != types.CellType()]
        _digest((x.__defaults__, x.__kwdefaults__, held), update, files, depth + 3)  # not deep: it may lead anywhere
    elif isinstance(x, types.MethodType):
        _digest([x.__func__.__qualname__, x.__self__], update, files, depth + 1)
    elif depth <= 6 and not isinstance(x, (type, types.ModuleType, random.Random)):
        constants = {name: value for name, value in vars(type(x)).items() if isinstance(value, (str, int, float, tuple)) and name[:2] != "__"}
        _digest(dict(sorted({**constants, **vars(x)}.items())), update, files, depth + 1)


def _digest_code(code: types.CodeType, update: Update) -> None:
    _digest((code.co_code, code.co_names, code.co_freevars), update)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _digest_code(constant, update)
        else:
            _digest(constant, update)


def _digest_functions(path: Path, names: list[str], update: Update) -> None:
    """The source of functions, without comments and spaces, the plain values of their modules, and the files they name."""
    tree = ast.parse(path.read_bytes())
    files = [(vars(module).get("__file__") or "", module) for module in list(sys.modules.values()) if hasattr(module, "__dict__")]
    modules = [module for file, module in files if os.path.basename(file) == path.name and os.path.realpath(file) == os.path.realpath(path)]
    for name in names:
        nodes: list[Any] = [tree]
        functions: list[Any] = modules
        for part in name.split("."):
            nodes = [n for node in nodes for n in getattr(node, "body", []) if getattr(n, "name", None) == part]
            functions = [getattr(function, part, None) for function in functions]
        _digest([ast.unparse(node) for node in nodes], update)
        for module, function in zip(modules, functions):
            code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
            _digest([text for text in (code.co_consts if code else ()) if isinstance(text, str) and os.path.isfile(text)], update, True)
            for used in code.co_names if code else ():
                value = vars(module).get(used)
                value = vars(value) if type(value).__name__ == "Namespace" else value
                if isinstance(value, (str, int, float, tuple, list, dict, Path)):
                    _digest((used, value), update, True)
