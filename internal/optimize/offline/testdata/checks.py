"""What saturate_offline promises about values and keys, checked on the values themselves."""

import os
import sys
import time
from pathlib import Path

import numpy as np
import torch

import saturate_offline as offline
from saturate_offline import cache

offline.setup(__file__, "", {
    "speech": {"what": "speak", "wav": True, "code": {"engine.py": ["speak"]}},
    "audio": {"what": "load", "wav": True, "files": True, "code": {}},
    "features": {"what": "mel", "code": {}},
})
Path("engine.py").write_text("GAIN = 2\ndef speak(text):\n    return text * GAIN\n")
import engine  # noqa: E402

noise = np.random.default_rng(0)
pcm = noise.integers(-32768, 32768, 1000, dtype=np.int16)
values = {
    "int16": pcm,
    "over 32768": pcm.astype(np.float32) / 32768,
    "over 32767": (pcm.clip(-32767).astype(np.float32) / 32767),
    "float32": noise.standard_normal(1000).astype(np.float32),
    "float64": noise.standard_normal(1000),
    "minus zero": np.array([0.0, -0.0, 0.5], np.float32),
    "not finite": np.array([np.nan, np.inf, 0.5], np.float32),
    "empty": np.zeros(0, np.float32),
    "row": pcm[None].astype(np.float32) / 32768,
    "matrix": noise.standard_normal((4, 5)).astype(np.float32),
    "complex": noise.standard_normal(5) + 1j,
    "scalar": np.float32(0.1),
    "tensor": torch.randn(7, 3),
    "column order": np.asfortranarray(noise.standard_normal((4, 5))),
    "bfloat16": torch.randn(9).bfloat16(),
    "bool tensor": torch.tensor([True, False]),
    "bytes": b"RIFF" + bytes(range(200)),
    "pair": (pcm.astype(np.float32) / 32768, 22050),
    "nested": {"audio": [pcm, torch.arange(3)], "rate": 16000, "name": "x", "none": None, "pi": 3.14},
}


def same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and (a == b).all()
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return a == b


def never():
    raise AssertionError("made again")


def check(what, truth):
    if not truth:
        sys.exit(f"failed: {what}")


def forget():
    cache.shelves = {place: offline.Shelf(place) for place in cache.places}
    offline._objects.clear()


# Every value comes back as it was, after the manifest is written and read again.
cache.preparing = True
make = lambda: made[0]  # noqa: E731  the same function is part of each key
for name, value in values.items():
    made = [value]
    check(name, same(offline.kept("speech", make, name, rate=16000), value))
cache.shelves["speech"].finish()
forget()
cache.preparing = False
for name, value in values.items():
    made = [never]
    check(f"{name} comes back", same(offline.kept("speech", make, name, rate=16000), value))
    check(f"{name} was read", not cache.shelves["speech"].missed)
suffixes = {e["value"].get("file", "")[-4:] for e in cache.shelves["speech"].entries.values()}
check(f"WAV files are among {suffixes}", ".wav" in suffixes and ".npy" in suffixes)

# Equal contents are one file, whichever entries name it, and it stays for as long as one of them does.
cache.preparing = True
once = noise.standard_normal((3, 4)).astype(np.float32)
made = [(once, once.copy())]
for voice in ("anna", "ANNA"):
    offline.kept("features", make, "text", voice)
shelf = cache.shelves["features"]
stored = list(shelf.folder.glob("??/*"))
check(f"one file is there, of {stored}", len(stored) == 1)
shelf.put(shelf.key(make.__code__, ("text", "anna")), pcm, (), None)
check("both entries are listed", shelf.finish() == 2)
forget()
cache.preparing = False
made = [never]
check("the first is what it became", same(offline.kept("features", make, "text", "anna"), pcm))
check("the second is what it was", same(offline.kept("features", make, "text", "ANNA"), (once, once)))
check("both were read", not cache.shelves["features"].missed)

# Of a batch each row is kept on its own: other batches find it, and so does a batch of one.
def double(waves):
    asked.append(len(waves))
    return {"rows": np.stack(waves) * 2, "names": [str(wave[0]) for wave in waves]}


asked, waves = [], [noise.standard_normal(5).astype(np.float32) for _ in range(4)]
cache.preparing = cache.checking = True
for wave in waves:
    offline.kept("features", double, rows={"waves": [wave]})
offline.kept("features", double, rows={"waves": waves})
check("rows that stand alone are kept", not cache.refused)
cache.preparing = cache.checking = False
asked.clear()
for batch in (waves[2:], waves[::-1], waves[:1]):
    made_now = offline.kept("features", double, rows={"waves": batch})
    check("no row is made again", not asked)
    check("a batch is made of its rows", same(made_now, double(batch)))
    asked.clear()
both = offline.kept("features", double, rows={"waves": [waves[0], waves[0] + 1]})
check("only the row that is missing is made", asked == [1] and same(both, double([waves[0], waves[0] + 1])))
check("a batch by name", same(offline.kept("features", lambda batch: batch["x"], rows={"batch": {"x": [1, 2], "y": [3, 4]}}), [1, 2]))
check("columns of different lengths go as they are", same(offline.kept("features", lambda x, y: x + y, rows={"x": [1], "y": [3, 4]}), [1, 3, 4]))
cache.preparing = cache.checking = True
offline.kept("features", lambda waves: np.stack(waves) / np.max(waves), rows={"waves": waves})
check("rows that depend on each other are refused", "depend on each other" in cache.refused.pop("features"))
longer = [*waves, np.zeros(9, np.float32)]
padded = lambda waves: np.stack([np.pad(wave, (0, max(map(len, waves)) - len(wave))) for wave in waves])  # noqa: E731
check("a padded batch is given", offline.kept("features", padded, rows={"waves": longer}).shape == (5, 9))
check("and refused", "depend on each other" in cache.refused.pop("features"))
cache.checking = False

# A file as a value: its content is kept, the user's own may be removed.
cache.preparing = True
Path("out.wav").write_bytes(b"RIFFabc")
check("a path is given", offline.kept("speech", lambda: "out.wav", "file") == "out.wav")
os.remove("out.wav")
cache.preparing = False
forget()
path = offline.kept("speech", lambda: "out.wav", "file")
check("the content is there", path != "out.wav" and Path(path).read_bytes() == b"RIFFabc")

# A file that is cut short is made again; what cannot be kept says so.
entry = next(e for e in cache.shelves["speech"].entries.values() if e["value"].get("how") == "int16")
full = cache.shelves["speech"].folder / entry["value"]["file"]
full.write_bytes(full.read_bytes()[:100])
made = [pcm]
check("a short file is not used", same(offline.kept("speech", make, "int16", rate=16000), pcm))
cache.preparing = True
offline.kept("speech", lambda: object(), "unkeepable")
check("an object is refused", "builtins.object" in cache.refused.pop("speech"))

# Other code, other constants, other settings of an object: other keys. Comments are no change.
class Engine:
    def __init__(self, speed):
        self.speed = speed


def key(*inputs):
    forget()
    return offline.Shelf("speech").key(make.__code__, inputs)


first = key("text", Engine(1))
check("the key holds", first == key("text", Engine(1)))
check("settings of an object count", first != key("text", Engine(2)))
check("other text", first != key("texts", Engine(1)))
engine.GAIN = 3
check("constants count", first != key("text", Engine(1)))
engine.GAIN = 2
Path("engine.py").write_text("GAIN = 2\n\n\ndef speak(text):  # louder\n    return text * GAIN\n")
check("a comment does not count", first == key("text", Engine(1)))
Path("engine.py").write_text("GAIN = 2\ndef speak(text):\n    return text * GAIN + 1\n")
check("code counts", first != key("text", Engine(1)))
os.environ["VOICE"] = "nova"
cache.places["speech"]["env"] = ["VOICE"]
first = key("text")
check("the environment holds", first == key("text"))
os.environ["VOICE"] = "echo"
check("what it reads from the environment counts", first != key("text"))
fast, slow = (lambda x: x * 2), (lambda x: x / 2)
check("a function is the same", key(fast) == key(fast))
check("functions without a name differ by what they do", key(fast) != key(slow))
check("and by what they hold", key((lambda n: lambda: n)(1)) != key((lambda n: lambda: n)(2)))
check("inputs do not run together", key("ab", "c") != key("a", "bc"))
check("numpy and Python agree", key(np.str_("a"), np.int64(3), np.bool_(True)) == key("a", 3, True))
check("a tensor of one is a number", key(torch.tensor([True])) == key(True))
check("gradients are left alone", offline.kept("speech", lambda: 5, torch.ones(2, requires_grad=True)) == 5)

# A recording that is replaced is read again.
Path("in.wav").write_bytes(b"1")
before = offline.Shelf("audio").key(make.__code__, ("in.wav",))
time.sleep(0.01)
Path("in.wav").write_bytes(b"2")
check("a newer file counts", before != offline.Shelf("audio").key(make.__code__, ("in.wav",)))

check("a file is the same however it is spelled", offline.Shelf("audio").key(make.__code__, ("in.wav",)) == offline.Shelf("audio").key(make.__code__, (os.path.abspath("in.wav"),)))

# So is one that an object knows, and one that a function names.
before = offline.Shelf("audio").key(make.__code__, (Engine("in.wav"),))
forget()
check("a file that an object knows holds", before == offline.Shelf("audio").key(make.__code__, (Engine("in.wav"),)))
time.sleep(0.01)
Path("in.wav").write_bytes(b"3")
check("a newer file that an object knows counts", before != offline.Shelf("audio").key(make.__code__, (Engine("in.wav"),)))
Path("engine.py").write_text("def speak(text):\n    return text + open('words.txt').read()\n")
Path("words.txt").write_text("a")
import importlib  # noqa: E402

importlib.reload(engine)
before = key("text")
time.sleep(0.01)
Path("words.txt").write_text("b")
check("a newer file that a function names counts", before != key("text"))

# The first transforms of a Compose that draw nothing are done before the value is kept, the others after.
class Part:
    def __init__(self, text):
        self.text = text

    def __call__(self, x):
        return x + self.text


def part(name):
    return type(name, (Part,), {"__module__": "torchvision.transforms.transforms"})


composed = part("Compose")("")
composed.transforms = [part("Resize")("r"), part("CenterCrop")("c"), part("RandomCrop")("x"), part("Resize")("s")]
check("the leading ones", [p.text for p in offline.leading(composed)] == ["r", "c"])
check("they are done first", offline.first(composed, "-") == "-rc")
check("the others afterwards", offline.rest(composed)("-rc") == "-rcxs")
check("other callables are left alone", offline.rest(len) is len and offline.first(len, "-") == "-" and offline.first(None, "-") == "-")
check("their settings count", key(offline.leading(composed)) != key([part("Resize")("R"), part("CenterCrop")("c")]))
composed.transforms = [part("RandomCrop")("x"), part("Resize")("s")]
check("nothing behind a draw", offline.leading(composed) == [] and offline.rest(composed) is composed)

# Inputs that do not decide the value are found out; an engine that varies is told.
cache.checking = True
count = [0]


def counted(step):
    count[0] += step
    return np.array([count[0]])


offline.kept("features", lambda: counted(1), "x")
check("variation is told", "differs each time" in cache.varied.pop("features") and not cache.refused)
offline.kept("features", lambda: np.array([count[0]]), "y")
count[0] += 1
offline.kept("features", lambda: np.array([count[0]]), "y")
check("a missing input is found", "does not depend on the inputs alone" in cache.refused.pop("features"))
print("all kept")
