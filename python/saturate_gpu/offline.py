"""Reads what is the same in every epoch from disk: speech, decoded audio, features.

    audio = kept("speech", lambda: speak(text, voice), text, voice)

returns what speak(text, voice) returns, bit for bit. If offline/speech/manifest.json lists it, the file is read;
a text that is not listed is spoken as before. Features built by saturate mel are read from its file.
The key of an entry is a hash of the inputs after the function, of the source of your functions that it calls, and of
the plain values they read.

    voice = drawn(lambda: random.choice(voices), voices)

is random.choice(voices); while the cache is filled it returns each of the voices in turn.

SATURATE_OFFLINE_DIR moves the folder. Without the folder everything is computed as before.
"""

from __future__ import annotations

import ast
import hashlib
import io
import json
import numbers
import os
import random
import shutil
import struct
import sys
import tempfile
import types
from pathlib import Path
from typing import Any, Callable, Iterator, NoReturn, Sequence

Form = dict[str, Any]  # JSON
Make = Callable[[], Any]
Update = Callable[[bytes], object]  # of a hash

# For each place: what it caches, your functions it calls, whether input files are identified by their age, whether it
# is inside another place, whether saturate mel may build its features, and which environment variables it reads.
PLACES: dict[str, Form] = {}
PREPARE = ""  # the command that fills the cache
HERE = FOLDER = Path("offline")  # of the project's module that names the places; of the cache
preparing = checking = False  # set by the script that fills the cache
builder: Any = None  # set as well where saturate mel builds features


def setup(file: str, prepare: str, places: dict[str, Form]) -> None:
    """Say what is cached, in which project. The module saturate_offline of a project calls this once."""
    global HERE, FOLDER, PREPARE
    HERE, PREPARE = Path(file).resolve().parent, prepare
    FOLDER = Path(os.environ.get("SATURATE_OFFLINE_DIR") or HERE / "offline")
    PLACES.clear()
    PLACES.update(places)
    _shelves.clear()
    _shelves.update((place, Shelf(place)) for place in PLACES)  # now, so that worker processes share what was read


def kept(place: str, make: Make, *inputs: Any, rate: int | None = None, copy: bool = False) -> Any:
    """Return what make() returns, from disk if cached. With copy, the caller may remove a returned file."""
    if any(getattr(part, "requires_grad", False) for part in inputs):
        return make()  # gradients flow through it: not data
    shelf = _shelves.get(place) or _shelves.setdefault(place, Shelf(place))
    shelf.asked += 1
    key = shelf.key(make, inputs)
    entry = shelf.entries.get(key)
    if entry is not None:
        try:
            value = _read(shelf.folder, entry["value"], copy)
            if checking:
                _check(place, value, make, entry["value"])
            shelf.latest = entry
            return value
        except (OSError, ValueError):
            pass  # the file is missing, truncated or not built yet
    if not preparing:
        value = make()
        shelf.miss(inputs)
        return value
    value, noted = builder.make(shelf, key, make, inputs) if builder else (make(), False)
    try:
        if not noted:
            shelf.put(key, value, inputs, rate)
        if checking:
            _check(place, value, make)
    except TypeError as error:
        refused[place] = str(error)
    return value


def _check(place: str, value: Any, make: Make, form: Form | None = None) -> None:
    """Compute a value again. If the inputs do not determine it, nothing is cached; an engine that never speaks the
    same way twice is reported. Features built by saturate mel have to be close."""
    again = make()
    if builder and form and any("mel" in leaf for leaf in leaves(form)):
        return builder.compare(place, value, again)
    if _sum(value) == _sum(again):
        return
    if _sum(again) == _sum(make()):
        refused[place] = f"the result of {PLACES[place]['what']} does not depend on the inputs alone"
    else:
        varied[place] = f"the result of {PLACES[place]['what']} differs each time; one take is cached"


def _sum(value: Any) -> bytes:
    hash = hashlib.sha256()
    for part in value if isinstance(value, tuple) else (value,):
        _digest(Path(part).read_bytes() if isinstance(part, (str, Path)) and os.path.isfile(part) else part, hash.update)
    return hash.digest()


def drawn(draw: Make, options: Sequence[Any]) -> Any:
    """Return what draw() returns; while the cache is filled, each option in turn."""
    if not preparing:
        return draw()
    at = len(draws)
    draws.append(len(options))
    return options[min(turn[at], len(options) - 1) if at < len(turn) else 0]


refused: dict[str, str] = {}
varied: dict[str, str] = {}  # places whose values cannot be cached, and those that differ each time
turn: list[int] = []
draws: list[int] = []  # of the current sample: which option each draw returns, and how many each has


class Enough(BaseException):
    """Everything to cache of the current sample is cached: the rest of it is not needed."""


class Shelf:
    """The files of one place, and their list."""

    def __init__(self, place: str) -> None:
        self.place, self.about = place, PLACES[place]
        self.folder = FOLDER / place
        self.entries: dict[str, Form] = {}
        self.asked = self.missed = self.added = 0
        self.latest: Form | None = None
        self._codes: dict[types.CodeType, bytes] = {}
        self._code: bytes | None = None
        self.reload()

    def reload(self) -> None:
        self.entries = {entry["key"]: entry for entry in self.listed() + self.noted()}

    def listed(self) -> list[Form]:
        try:
            return json.loads((self.folder / "manifest.json").read_bytes())
        except (OSError, ValueError):
            return []

    def noted(self) -> list[Form]:
        """Entries added after the manifest was written; a killed process may leave half a line."""
        try:
            lines = (self.folder / "journal.jsonl").read_bytes().split(b"\n")[:-1]
        except OSError:
            return []
        entries = []
        for line in lines:
            try:
                entries.append(json.loads(line))
            except ValueError:
                pass
        return entries

    def key(self, make: Make, inputs: tuple[Any, ...]) -> str:
        code = make.__code__
        hash = hashlib.sha256(self._codes.get(code) or self._codes.setdefault(code, self.identity(code)))
        for part in inputs:
            _digest(part, hash.update, self.about["files"])
        return hash.hexdigest()[:32]

    def identity(self, code: types.CodeType) -> bytes:
        """What determines the result besides the inputs: the source of functions, and the plain values they use."""
        if self._code is None:
            hash = hashlib.sha256()
            for path, names in self.about["code"].items():
                for text in _sources(HERE / path, names):
                    _digest(text, hash.update)
                for module in _modules(HERE / path):
                    for name in names:
                        _globals(module, name, hash.update)
            for name in self.about.get("env", ()):
                _digest((name, os.environ.get(name)), hash.update)
            self._code = hash.digest()
        hash = hashlib.sha256(self._code)
        _digest(self.place, hash.update)
        _code(code, hash.update)
        return hash.digest()

    def miss(self, inputs: tuple[Any, ...]) -> None:
        self.missed += 1
        if self.missed == 1:
            what = next((repr(part)[:60] for part in inputs if isinstance(part, str)), self.place)
            why = "is not in" if self.entries else "was computed now: missing"
            print(f"saturate_offline: {what} {why} {self.folder / 'manifest.json'}; {PREPARE}", file=sys.stderr)

    def put(self, key: str, value: Any, inputs: tuple[Any, ...], rate: int | None) -> None:
        form, files = _write(self.folder, value, rate if self.about["wav"] else None, self.about["wav"])
        self.note(key, form, files, inputs)

    def note(self, key: str, form: Form, files: dict[str, Any], inputs: tuple[Any, ...] = ()) -> None:
        texts = sorted((part for part in inputs if isinstance(part, str)), key=len)
        entry = {"audio_filepath": form.get("file")} if self.about["wav"] else {"file": form.get("file")}
        if texts:
            entry["text"] = str(texts[-1])
        entry |= {"duration": files["duration"], "engine": self.about["what"], "sha256": files["sha256"], "key": key}
        entry["value"] = form
        self.append(entry)
        self.entries[key] = self.latest = entry
        self.added += 1

    def append(self, entry: Form) -> None:
        line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        journal = os.open(self.folder / "journal.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(journal, line)  # in one write: several processes append here
        finally:
            os.close(journal)

    def finish(self) -> int:
        """Write the manifest of all entries, and remove the journal."""
        known = self.listed() + self.noted()
        entries = {e["key"]: e for e in known if _whole(self.folder, e["value"])}
        used = {name for e in entries.values() for leaf in leaves(e["value"]) for name in _files(leaf)}
        self.folder.mkdir(parents=True, exist_ok=True)
        lines = ",\n".join(json.dumps(e, ensure_ascii=False) for e in entries.values())
        _write_whole(self.folder / "manifest.json", ("[\n" + lines + "\n]\n").encode("utf-8", "surrogatepass"))
        (self.folder / "journal.jsonl").unlink(missing_ok=True)
        for name in {name for e in known for leaf in leaves(e["value"]) for name in _files(leaf)} - used:
            _remove(self.folder / name)  # replaced by another entry
        self.entries = entries
        return len(entries)

    def drop(self) -> None:
        for name in ("manifest.json", "journal.jsonl"):
            (self.folder / name).unlink(missing_ok=True)


_shelves: dict[str, Shelf] = {}

# --- values as files -------------------------------------------------------------------------


def _write(folder: Path, value: Any, rate: int | None, wav: bool) -> tuple[Form, dict[str, Any]]:
    """The value as JSON that names files, and the facts about these files."""
    about: Form = {"sha256": hashlib.sha256(), "duration": 0.0}

    def store(data: bytes, suffix: str) -> str:
        """A file is named after its content: entries with the same content share it."""
        about["sha256"].update(data)
        hash = hashlib.sha256(data).hexdigest()[:32]
        name = f"{hash[:2]}/{hash}{suffix}"
        if not _whole(folder, {"file": name, "size": len(data)}):
            (folder / hash[:2]).mkdir(parents=True, exist_ok=True)
            _write_whole(folder / name, data)
        return name

    def form(x: Any, rate: int | None) -> Form:
        if x is None or isinstance(x, (bool, int, float)):
            return {"is": "plain", "plain": x}
        if isinstance(x, (bytes, bytearray)):
            kind = ".wav" if x[:4] == b"RIFF" else ".bin"
            return {"is": "bytes", "file": store(bytes(x), kind), "size": len(x)}
        if isinstance(x, (str, os.PathLike)):
            if not os.path.isfile(x):
                return {"is": "plain", "plain": str(x)} if isinstance(x, str) else _refuse(x)
            data = Path(x).read_bytes()
            return {"is": "path" if isinstance(x, str) else "Path", "file": store(data, Path(x).suffix), "size": len(data)}
        if type(x) in (tuple, list):
            rates = [n for n in x if isinstance(n, numbers.Integral) and 4000 <= int(n) <= 192000] if wav else []
            return {"is": type(x).__name__, "items": [form(item, int(rates[0]) if rates else rate) for item in x]}
        if type(x) is dict and all(isinstance(name, str) for name in x):
            return {"is": "dict", "names": list(x), "items": [form(item, rate) for item in x.values()]}
        if type(x).__module__.startswith("transformers.") and type(x).__name__ in ("BatchFeature", "BatchEncoding"):
            inner = form(dict(x.data), rate)
            return {"is": type(x).__name__, "names": inner["names"], "items": inner["items"]}
        return array(x, rate)

    def array(x: Any, rate: int | None) -> Form:
        import numpy as np

        torch = sys.modules.get("torch")
        out: Form = {"is": "array"}
        if torch and type(x) is torch.Tensor:
            out["is"] = "tensor"
            x = x.detach().cpu()
            if x.dtype == torch.bfloat16:
                out["view"], x = "bfloat16", x.view(torch.int16)
            x = x.numpy()
        elif isinstance(x, np.generic):
            out["is"], x = "scalar", np.asarray(x)
        if type(x) is not np.ndarray or x.dtype.hasobject:
            _refuse(x)
        if rate and x.size and x.size in x.shape:
            for how, plain in _plain_wav(x, np):
                if _as_array(plain, how, x.dtype.str, x.shape, np).tobytes() == x.tobytes():
                    about["duration"] = round(x.size / rate, 6)
                    data = _wav_header(plain, rate) + plain.tobytes()
                    out |= {"file": store(data, ".wav"), "size": len(data), "how": how, "dtype": x.dtype.str, "shape": x.shape}
                    return out
        content = io.BytesIO()
        np.save(content, x, allow_pickle=False)
        return out | {"file": store(content.getvalue(), ".npy"), "size": content.tell()}

    result = form(value, rate)
    return result, {"sha256": about["sha256"].hexdigest(), "duration": about["duration"]}


def _refuse(x: Any) -> NoReturn:
    raise TypeError(f"a {type(x).__module__}.{type(x).__qualname__} cannot be cached; only bytes, arrays, tensors, files and plain values can")


def _plain_wav(x: Any, np: Any) -> Iterator[tuple[str, Any]]:
    """The formats for an array of samples; the caller takes the first that restores it bit for bit."""
    x = x.reshape(-1)
    if x.dtype == np.int16:
        yield "int16", x.astype("<i2")
    elif x.dtype.kind == "f" and np.isfinite(x).all():
        for scale in (32768, 32767):
            if np.abs(x).max() * scale <= 32768:
                yield f"int16/{scale}", np.clip(np.round(x * scale), -32768, 32767).astype("<i2")
        yield "float32", x.astype("<f4")


def _as_array(plain: Any, how: str, dtype: str, shape: Any, np: Any) -> Any:
    x = plain
    if how.startswith("int16/"):
        x = plain.astype(dtype)
        x /= int(how[6:])
    return x.astype(dtype, copy=False).reshape(shape)


def _wav_header(plain: Any, rate: int) -> bytes:
    """A header of 44 bytes, for 16-bit integers and for 32-bit floats."""
    bits, size = 8 * plain.itemsize, plain.nbytes
    kind = 1 if plain.dtype.kind == "i" else 3
    fmt = struct.pack("<4sIHHIIHH", b"fmt ", 16, kind, 1, rate, rate * bits // 8, bits // 8, bits)
    return struct.pack("<4sI4s", b"RIFF", 36 + size, b"WAVE") + fmt + struct.pack("<4sI", b"data", size)


def leaves(form: Form) -> list[Form]:
    """The parts of a value that have no parts."""
    return [leaf for item in form["items"] for leaf in leaves(item)] if "items" in form else [form]


def _files(leaf: Form) -> list[str]:
    return [leaf["mel"]["part"]] if "part" in leaf.get("mel", {}) else [leaf["file"]] if "file" in leaf else []


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
        return
    path.unlink(missing_ok=True)
    try:
        path.parent.rmdir()
    except OSError:
        pass  # not empty


_readers: dict[str, Any] = {}  # of files written by saturate mel


def _built(folder: Path, form: Form, np: Any) -> Any:
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
        if kind in ("BatchFeature", "BatchEncoding"):
            import transformers

            return getattr(transformers, kind)(dict(zip(form["names"], items)))
        return dict(zip(form["names"], items)) if kind == "dict" else tuple(items) if kind == "tuple" else items
    if "mel" not in form:
        path = folder / form["file"]
    if kind == "bytes":
        return path.read_bytes()
    if kind in ("path", "Path"):
        if path.stat().st_size != form["size"]:
            raise ValueError(f"{path} is truncated")
        if copy:
            handle, name = tempfile.mkstemp(suffix=path.suffix)
            os.close(handle)
            path = Path(shutil.copyfile(path, name))
        return str(path) if kind == "path" else path
    import numpy as np

    if "mel" in form:
        x = _built(folder, form, np)
    elif "how" in form:
        plain = np.fromfile(path, dtype="<f4" if form["how"] == "float32" else "<i2", offset=44)
        x = _as_array(plain, form["how"], form["dtype"], form["shape"], np)
    else:
        x = np.load(path, allow_pickle=False)
    if kind == "tensor":
        import torch

        x = torch.from_numpy(x)
        return x.view(getattr(torch, form["view"])) if "view" in form else x
    return x[()] if kind == "scalar" else x


def _whole(folder: Path, form: Form) -> bool:
    if "items" in form:
        return all(_whole(folder, item) for item in form["items"])
    if "mel" in form:
        return "part" in form["mel"] and (folder / form["mel"]["part"] / "mel.npy").exists()
    try:
        return "file" not in form or (folder / form["file"]).stat().st_size == form["size"]
    except OSError:
        return False


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically."""
    temporary = path.parent / f".{path.name}.{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


# --- inputs as keys --------------------------------------------------------------------------


def _digest(x: Any, update: Update, files: bool = False, depth: int = 0) -> None:
    if x is None or isinstance(x, bool):
        update(b"%r;" % x)
    elif isinstance(x, str):
        data = str(x).encode("utf-8", "surrogatepass")
        update(b"s%d:" % len(data) + data)
        if files and len(x) < 1024:
            _digest_age(x, update)
    elif isinstance(x, (bytes, bytearray)):
        update(b"b%d:" % len(x) + x)
    elif isinstance(x, numbers.Integral):
        update(b"i%d;" % int(x))
    elif isinstance(x, numbers.Real):
        update(float(x).hex().encode() + b";")
    elif isinstance(x, os.PathLike):
        update(b"p")
        _digest(os.fspath(x), update, files)
    elif isinstance(x, (tuple, list)):
        update(b"(%d:" % len(x))
        for item in x:
            _digest(item, update, files, depth + 1)
    elif isinstance(x, dict):
        update(b"{%d:" % len(x))
        for name, item in x.items():
            _digest(name, update, False, depth + 1)
            _digest(item, update, files, depth + 1)
    elif isinstance(x, (set, frozenset)):
        update(b"|%d:" % len(x))
        for item in sorted(map(repr, x)):
            _digest(item, update)
    elif hasattr(x, "dtype") and hasattr(x, "shape") and _digest_array(x, update):
        pass
    elif depth > 6:
        update(_name_of(type(x)))
    elif depth:
        _digest_object(x, update, depth)
    else:
        update(_remembered(x))


def _digest_age(path: str, update: Update) -> None:
    try:
        stat = os.stat(path)
        update(b"@%d,%d;" % (stat.st_size, stat.st_mtime_ns))
    except (OSError, ValueError):
        pass


def _digest_array(x: Any, update: Update) -> bool:
    size = x.numel() if hasattr(x, "numel") else getattr(x, "size", 0)
    if size == 1 and hasattr(x, "item"):  # a number in any container
        _digest(x.item(), update, False, 1)
        return True
    if type(x).__module__.startswith("torch"):
        x = x.detach().cpu()
        update(str(x.dtype).encode())
        x = x.view(sys.modules["torch"].int16).numpy() if "bfloat16" in str(x.dtype) else x.numpy()
    if not hasattr(x, "tobytes") or getattr(x.dtype, "hasobject", True):
        return False
    update(f"a{x.dtype}{tuple(x.shape)}:".encode())
    update(x.tobytes())
    return True


_objects: dict[int, tuple[Any, bytes]] = {}  # earlier inputs, so that a model is not hashed for every sample


def _remembered(x: Any) -> bytes:
    known = _objects.get(id(x))
    if known is None or known[0] is not x:
        hash = hashlib.sha256()
        _digest_object(x, hash.update, 0)
        known = _objects[id(x)] = (x, hash.digest())
    return known[1]


def _digest_object(x: Any, update: Update, depth: int) -> None:
    """An object is identified by its class and its data."""
    update(_name_of(x if isinstance(x, (type, types.FunctionType, types.BuiltinFunctionType)) else type(x)))
    if isinstance(x, types.FunctionType):
        _code(x.__code__, update)
        for part in (x.__defaults__, x.__kwdefaults__, [_content(cell) for cell in x.__closure__ or ()]):
            _digest(part, update, False, depth + 3)  # not deep: it may lead anywhere
        return
    if isinstance(x, (type, types.ModuleType, random.Random)):
        return
    if isinstance(x, types.MethodType):
        update(_name_of(x.__func__))
        _digest(x.__self__, update, False, depth + 1)
        return
    state = getattr(x, "__dict__", None)
    if state is None:
        text = repr(x)
        update(b"" if " at 0x" in text else text.encode())
        return
    held = {name: value for name, value in vars(type(x)).items() if isinstance(value, (str, int, float, tuple)) and name[:2] != "__"}
    for name, value in sorted({**held, **state}.items()):
        update(name.encode() + b"=")
        _digest(value, update, False, depth + 1)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None  # not set yet


def _name_of(x: Any) -> bytes:
    return f"<{getattr(x, '__module__', '')}.{getattr(x, '__qualname__', x)}>".encode()


def _code(code: types.CodeType, update: Update) -> None:
    for part in (code.co_code, code.co_names, code.co_freevars):
        _digest(part, update)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _code(constant, update)
        elif constant is None or isinstance(constant, (str, bytes, numbers.Number, tuple, frozenset)):
            _digest(constant, update)


def _sources(path: Path, names: list[str]) -> Iterator[str]:
    """The parsed functions of these names: comments and spaces do not count."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    for name in names:
        nodes = [tree]
        for part in name.split("."):
            nodes = [n for node in nodes for n in getattr(node, "body", []) if getattr(n, "name", None) == part]
        for node in nodes:
            yield ast.unparse(node)


def _modules(path: Path) -> Iterator[Any]:
    """The modules loaded from a file, under any name."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__dict__", {}).get("__file__")  # an attribute might load a lazy module
        if file and os.path.basename(file) == path.name and os.path.realpath(file) == os.path.realpath(path):
            yield module


def _globals(module: Any, name: str, update: Update) -> None:
    """The plain values of the module that a function uses: constants, settings."""
    function = module
    for part in name.split("."):
        function = getattr(function, part, None)
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    for named in code.co_names if code else ():
        value = vars(module).get(named)
        if isinstance(value, (str, numbers.Number, tuple, list, dict, Path)) or type(value).__name__ == "Namespace":
            update(named.encode() + b"=")
            _digest(vars(value) if type(value).__name__ == "Namespace" else value, update, False, 1)
