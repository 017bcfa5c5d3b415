"""Lets `saturate mel` build the features of Whisper's extractors; the script that fills the cache uses it for --features.

While a sample is computed, this records the input of WhisperFeatureExtractor (transformers) and log_mel_spectrogram
(openai-whisper) as WAV, and returns a placeholder, which costs nothing. If the value to cache holds the placeholder
unchanged, `saturate mel` may build the features: all of them at once, into one memory-mapped file of FP16. If the
project cuts, pads or scales them, its own features are cached. A few samples, spread over the dataset, are then
computed by the project's own code and compared. If they differ by more than rounding, the project's own features are
cached for all, bit for bit.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

from . import offline
from .offline import Form, Make, cache

RATE, FFT, HOP, CLIP = 16000, 400, 160, 480000  # of Whisper
# With --features auto, saturate mel builds features that would take your own code longer, or more disk, than this:
SECONDS, BYTES = 60, 1 << 30
# Both sides compute in float32: besides rounding to FP16 their values may differ by this much, and this share of them
# may be rounded to the next number.
ERROR, OTHERS = 2e-4, 0.01


class Builder:
    def __init__(self, wanted: str) -> None:
        self.wanted = wanted  # auto, mel or own
        self.mode: dict[str, str] = {}  # of each place: mel or own; unset during the first samples
        self.able: set[str] = set()  # places whose values hold unchanged features
        self.why: dict[str, str] = {}  # of each place: why its features are your own
        self.made: dict[str, Form] = {}  # of each place: what was built
        self.seconds, self.calls, self.bytes = 0.0, 0, 0  # of the project's extractor, in the first samples
        self.listening: Form | None = None  # what the current place recorded
        self.noted = ""  # the key of the latest value, if saturate mel builds it
        self.difference: dict[str, float] = {}  # of each place: from your own features
        self.others: dict[str, float] = {}  # the share of values that differ by more than rounding
        self.apart: dict[str, str] = {}  # why they are too different
        self.places = [place for place, about in cache.places.items() if about.get("mel")]
        # If a sample needs nothing else, it can stop as soon as its features are known.
        outer = [place for place, about in cache.places.items() if not about.get("inner")]
        self.leaves = len(outer) == 1
        for place in self.places:
            self.recall(place)

    def recall(self, place: str) -> None:
        """A second run uses the kind of features that the first one chose, unless told otherwise."""
        shelf = cache.shelves[place]
        built = [e for e in shelf.entries.values() if _mel(e["value"]) is not None]
        if self.wanted == "own" or shelf.entries and not built and self.wanted == "auto":
            self.use_own(place, "")
        elif built:
            self.use_mel(place)
        else:
            self.forget(shelf, built=False)

    def forget(self, shelf: offline.Shelf, built: bool) -> None:
        """Entries with the other kind of features are computed again."""
        for key in [k for k, e in shelf.entries.items() if (_mel(e["value"]) is not None) == built]:
            del shelf.entries[key]

    def use_own(self, place: str, why: str) -> None:
        self.mode[place], self.why[place] = "own", why
        self.forget(cache.shelves[place], built=True)
        shutil.rmtree(cache.shelves[place].folder / "waves", ignore_errors=True)

    def use_mel(self, place: str) -> None:
        self.mode[place], self.why[place] = "mel", ""
        self.forget(cache.shelves[place], built=False)

    # --- while samples are computed ----------------------------------------------------------------

    def listen(self) -> None:
        """Record the extractors that are loaded by now."""
        extraction = sys.modules.get("transformers.models.whisper.feature_extraction_whisper")
        extractor = getattr(extraction, "WhisperFeatureExtractor", None)
        for name in ("_np_extract_fbank_features", "_torch_extract_fbank_features"):
            original = getattr(extractor, name, None)
            if original and not hasattr(original, "saturate"):
                setattr(extractor, name, self.ear(original, _of_transformers, np.asarray))
        whisper = sys.modules.get("whisper.audio")
        original = getattr(whisper, "log_mel_spectrogram", None)
        if original and not hasattr(original, "saturate"):
            ear = self.ear(original, _of_openai, sys.modules["torch"].from_numpy)
            for module in list(sys.modules.values()):  # in every module that imported it
                for name, value in list(getattr(module, "__dict__", {}).items()):
                    if value is original:
                        setattr(module, name, ear)

    def ear(self, original: Callable[..., Any], understand: Callable[..., Any], returned: Callable[[Any], Any]) -> Callable[..., Any]:
        def hear(*args: Any, **kwargs: Any) -> Any:
            at = self.listening
            if at is None:
                return original(*args, **kwargs)
            wave, bands, batch = understand(*args, **kwargs)
            at["heard"].append((wave, bands))
            if at["stand_in"] and wave is not None:
                at["output"] = np.resize(_numbers, (*batch, bands, len(wave) // HOP))
                return returned(at["output"].copy())
            self.listening, began = None, time.perf_counter()  # it may call the other extractor
            try:
                output = original(*args, **kwargs)
            finally:
                self.listening = at
                self.seconds += time.perf_counter() - began
            at["output"] = np.array(output.detach().cpu() if hasattr(output, "detach") else output)  # before it is changed in place
            return output

        setattr(hear, "saturate", True)
        return hear

    def make(self, shelf: offline.Shelf, key: str, make: Make, inputs: tuple[Any, ...]) -> Any:
        """A value: your own unless saturate mel builds it. Then it is noted."""
        self.noted = ""
        place, before = shelf.place, self.listening
        if place not in self.places or self.mode.get(place) == "own":
            self.listening = None
            try:
                return make()
            finally:
                self.listening = before
        # If a sample needs other places too, it has to continue with real features.
        stand_in = self.mode.get(place) == "mel" and self.leaves and not cache.checking
        entry = shelf.entries.get(key)
        if stand_in and entry and (shelf.folder / (_mel(entry["value"]) or {}).get("wave", "?")).exists():
            raise offline.Enough  # a stopped run had come this far
        self.listen()
        at: Form = {"heard": [], "output": None, "stand_in": stand_in}
        self.listening = at
        value = form = None
        try:
            value = make()
        except Exception:
            if not stand_in:
                raise
            at["heard"].clear()  # the placeholder did not work: compute with real features
        finally:
            self.listening = before
        if len(at["heard"]) == 1 and at["heard"][0][0] is not None:
            wave, bands = at["heard"][0]
            form = self.form(value, at["output"], wave, bands)
        if form is None:
            self.why.setdefault(place, _unheard(at["heard"]))
            return make() if stand_in else value
        if self.mode.get(place) != "mel":
            self.able.add(place)
            self.calls, self.bytes = self.calls + 1, 4 * bands * (len(wave) // HOP)
            return value
        self.note(shelf, key, form, wave, bands, inputs, value)
        if stand_in:
            raise offline.Enough
        return value

    def form(self, value: Any, output: Any, wave: Any, bands: int) -> Form | None:
        """How to read the value again, if it holds the extractor's output unchanged."""
        frames = len(wave) // HOP
        found = []

        def walk(x: Any) -> Form:
            if type(x) in (tuple, list):
                return {"is": type(x).__name__, "items": [walk(item) for item in x]}
            if type(x) is dict or type(x).__name__ in ("BatchFeature", "BatchEncoding"):
                inner = x if type(x) is dict else x.data
                return {"is": type(x).__name__, "names": list(inner), "items": [walk(item) for item in inner.values()]}
            torch: Any = sys.modules.get("torch")
            tensor = torch is not None and type(x) is torch.Tensor
            array = x.detach().cpu() if tensor else x
            array = array.numpy() if tensor and array.dtype != torch.bfloat16 else array
            if type(array) is not np.ndarray or array.dtype.kind != "f" or array.size != output.size or array.shape[-1:] != (frames,):
                return {"is": "other"}
            if not np.array_equal(array, output.reshape(array.shape).astype(array.dtype)):
                return {"is": "other"}
            found.append({"is": "tensor" if tensor else "array", "mel": {}, "dtype": array.dtype.str, "shape": list(array.shape)})
            return found[-1]

        form = walk(value)
        return form if len(found) == 1 and output.size == bands * frames else None

    def note(self, shelf: offline.Shelf, key: str, form: Form, wave: Any, bands: int, inputs: tuple[Any, ...], value: Any = None) -> None:
        """An entry whose features are not built yet."""
        others = [leaf for leaf in offline.leaves(form) if "mel" not in leaf]
        if others:  # a mask or a length beside the features is cached as it is
            whole = offline.Writer(shelf.folder, False).form(_without(value, form))
            for leaf, written in zip(offline.leaves(form), offline.leaves(whole)):
                if "mel" not in leaf:
                    leaf.update(written)
        leaf = next(leaf for leaf in offline.leaves(form) if "mel" in leaf)
        leaf["shape"][-1] = len(wave) // HOP
        path, sha256, samples = self.wav(shelf, wave)
        leaf["mel"] = {"wave": path, "bands": bands, "length": len(wave)}
        shelf.note(key, form, inputs, {"sha256": sha256, "duration": round(samples / RATE, 6)})
        self.noted = key

    def wav(self, shelf: offline.Shelf, wave: Any) -> tuple[str, str, int]:
        """The file of a waveform: its cached speech, or a temporary one until the features are built."""
        for other in cache.shelves.values():
            latest: Form = other.latest or {}
            form = latest.get("value", {})
            if form.get("file", "").endswith(".wav") and form.get("how"):
                samples = (form["size"] - 44) // (4 if form["how"] == "float32" else 2)
                if samples <= len(wave) and not wave[samples:].any():
                    data = _wav(wave[:samples], form["how"])
                    if hashlib.sha256(data).hexdigest() == latest["sha256"]:
                        return os.path.relpath(other.folder / form["file"], shelf.folder), latest["sha256"], samples
        full = len(wave) if _ragged(len(wave)) else max(1, len(np.trim_zeros(wave, "b")))
        data = _wav(wave[:full], "int16/32768") or _wav(wave[:full], "float32")
        sha256 = hashlib.sha256(data).hexdigest()
        folder = shelf.folder / "waves" / sha256[:2]
        folder.mkdir(parents=True, exist_ok=True)
        offline._write_whole(folder / f"{sha256}.wav", data)
        return os.path.relpath(folder / f"{sha256}.wav", shelf.folder), sha256, full

    # --- between the first samples and the others ----------------------------------------------

    def decide(self, count: int) -> bool:
        """Choose for each place, after the first samples of a dataset; return whether to compute these again."""
        again = False
        for place in self.places:
            if place in self.mode:
                continue
            if place not in self.able:
                if self.why.get(place):  # otherwise this dataset does not use it
                    self.use_own(place, self.why[place])
                continue
            seconds, size = self.seconds / max(1, self.calls) * count, self.bytes * count
            cost = f"{count} samples, {_time(seconds)} and {size / 1e6:.0f} MB by your own code"
            if self.wanted == "auto" and seconds <= SECONDS and size <= BYTES:
                self.use_own(place, f"it costs little ({cost})")
            elif not binary():
                self.use_own(place, f"{MISSING}; it would be faster ({cost})")
            else:
                print(f"{place}: saturate mel builds them, as FP16 ({cost}); --features own caches them bit for bit", file=sys.stderr)
                self.use_mel(place)
                again = True
        return again

    def pending(self, shelf: offline.Shelf) -> list[Form]:
        latest = {e["key"]: e for e in shelf.listed()}
        return [e for e in latest.values() if "wave" in (_mel(e["value"]) or {})]

    def build(self) -> bool:
        """Build everything that was recorded. Features that cannot be built are computed by your own code."""
        failed = False
        for place in self.places:
            shelf = cache.shelves[place]
            groups: dict[tuple[int, int | None], list[Form]] = {}
            if self.mode.get(place) != "mel":
                continue
            for entry in self.pending(shelf):
                mel = _mel(entry["value"])
                groups.setdefault((mel["bands"], None if _ragged(mel["length"]) else mel["length"]), []).append(entry)
            for (bands, length), entries in groups.items():
                try:
                    self.run(shelf, place, bands, length, entries)
                except (OSError, ValueError, subprocess.SubprocessError) as error:
                    self.use_own(place, f"saturate mel failed: {error}")
                    failed = True
            shelf.reload()
            shutil.rmtree(shelf.folder / "waves", ignore_errors=True)
            if self.mode[place] == "own":
                self.forget(shelf, built=True)
        return not failed

    def run(self, shelf: offline.Shelf, place: str, bands: int, length: int | None, entries: list[Form]) -> None:
        name = "mel-" + hashlib.sha256("".join(e["key"] for e in entries).encode()).hexdigest()[:12]
        listing, out, began = shelf.folder / f"{name}.jsonl", shelf.folder / name, time.perf_counter()
        clips: dict[tuple[str, int], tuple[int, Form]] = {}  # entries of the same clip share a row
        rows = []
        for entry in entries:
            rows.append(clips.setdefault((entry["sha256"], _mel(entry["value"])["length"]), (len(clips), entry))[0])
        firsts = [entry for _, entry in clips.values()]
        lines = (json.dumps({"audio_filepath": _mel(e["value"])["wave"], "key": e["key"]}) for e in firsts)
        offline._write_whole(listing, ("\n".join(lines) + "\n").encode())
        layout = ["--layout", "ragged"] if length is None else ["--layout", "fixed", "--length", f"{length / RATE:.9f}s"]
        command = [binary() or "saturate", "mel", str(listing), "-o", str(out), "--to", "npy", "--n-mels", str(bands), *layout]
        command += ["--n-fft", str(FFT), "--hop", str(HOP), "--sample-rate", str(RATE), "--fmin", "0", "--fmax", str(RATE / 2)]
        command += ["--power", "2", "--window", "hann", "--scaling", "whisper", "--quiet"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = done.stdout.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        if done.returncode not in (0, 1) or not out.exists():  # 1: some rows failed
            raise ValueError(said[-1][-300:])
        with open(out / "rows.jsonl", "rb") as file:
            if [json.loads(line)["key"] for line in file] != [e["key"] for e in firsts]:
                raise ValueError(f"{out} does not have the requested rows")
        valid = np.load(out / "valid.npy")
        for row, entry in zip(rows, entries):
            if valid[row]:
                _mel(entry["value"]).clear()
                _mel(entry["value"]).update(part=name, row=row)
                entry["file"] = f"{name}/mel.npy"
                shelf.append(entry)
        if not valid.all():
            raise ValueError(f"{int((valid == 0).sum())} clips could not be read, see {out}.quarantine.jsonl")
        listing.unlink(missing_ok=True)
        made = self.made.setdefault(place, {"rows": 0, "seconds": 0.0, "bytes": 0})
        made["rows"] += len(firsts)
        made["seconds"] += time.perf_counter() - began
        made["bytes"] += (out / "mel.npy").stat().st_size

    # --- afterwards ----------------------------------------------------------------------------

    def compares(self, place: str, value: Any, own: Any) -> bool:
        """Compare the value that was read last, if saturate mel has built it."""
        latest = cache.shelves[place].latest
        if latest is None or "part" not in (_mel(latest["value"]) or {}):
            return False
        self.compare(place, value, own)
        return True

    def compare(self, place: str, built: Any, own: Any) -> None:
        """Record the difference between built features and those of your own code."""
        pairs = list(zip(_arrays(built), _arrays(own)))
        if len(pairs) != len(list(_arrays(own))) or any(a.shape != b.shape or a.dtype != b.dtype for a, b in pairs):
            self.apart[place] = "saturate mel's have a different shape"
            return
        for a, b in pairs:
            if not a.size or a.dtype.kind != "f":
                continue
            roundings = 2 if b.dtype == np.float16 else 1  # each by half a step at most
            a, b = a.astype(np.float64), b.astype(np.float64)
            away = np.abs(a - b)
            rounding = roundings * np.spacing(np.abs(b).astype(np.float16)).astype(np.float64) / 2
            above = b > b.min()  # the floor is one value for a whole clip
            others = np.mean(a[above] != b[above].astype(np.float16)) if above.any() else 0.0
            if not (away <= rounding + ERROR).all() or others > OTHERS:
                self.apart[place] = f"saturate mel's differ from your own by up to {away.max():.2g}, {100 * others:.2g}% of them by more than rounding"
            self.difference[place] = max(self.difference.get(place, 0.0), float(away.max()))
            self.others[place] = max(self.others.get(place, 0.0), float(others))

    def agree(self) -> bool:
        """Return whether the comparisons passed; a place that failed uses your own features."""
        apart = [place for place in self.apart if self.mode.get(place) == "mel"]
        for place in apart:
            self.use_own(place, self.apart[place])
            self.made.pop(place, None)
        return not apart

    def tell(self) -> None:
        """Report the result of each place, for people and for optimize."""
        for place, why in self.why.items():
            if self.mode.get(place) == "own" and why:
                print(f"{place} are those of your own code, bit for bit: {why}", file=sys.stderr)
        for place, made in self.made.items():
            made |= {"largest_difference": self.difference.get(place), "other_values": self.others.get(place)}
            print(
                f"{place}: saturate mel built {made['rows']} in {made['seconds']:.2f} s, {made['bytes'] / 1e6:.0f} MB. The compared "
                f"samples match your own except for FP16 rounding: no value differs by more than {made['largest_difference']:.2g}",
                file=sys.stderr,
            )
        listed = {place: {"by": "saturate mel" if mode == "mel" else "own code", "why": self.why.get(place, "")} for place, mode in self.mode.items()}
        for place, made in self.made.items():
            listed[place] |= made
        cache.folder.mkdir(parents=True, exist_ok=True)
        offline._write_whole(cache.folder / "made.json", json.dumps(listed, indent=1).encode() + b"\n")


def binary() -> str | None:
    return shutil.which(os.environ.get("SATURATE") or "saturate")


MISSING = "saturate was not found; put it on the PATH or set SATURATE to its path"


def _mel(form: Form) -> Any:
    return next((leaf["mel"] for leaf in offline.leaves(form) if "mel" in leaf), None)


def _without(x: Any, form: Form) -> Any:
    """The value without its features."""
    if "mel" in form:
        return None
    if "names" in form:
        inner = x if form["is"] == "dict" else x.data
        return {name: _without(inner[name], item) for name, item in zip(form["names"], form["items"])}
    return type(x)(_without(item, part) for item, part in zip(x, form["items"])) if "items" in form else x


def _ragged(length: int) -> bool:
    """Padded clips have one length, in whole seconds."""
    return length % RATE != 0


def _unheard(heard: list[Any]) -> str:
    if not heard:
        return "no extractor that saturate mel supports was called"
    if heard[0][0] is None:
        return "the extractor's parameters differ from Whisper's, or it is given several clips"
    return f"a sample calls the extractor {len(heard)} times" if len(heard) > 1 else "the cached value changes the extractor's output"


# Placeholders are made of these: cutting, adding or scaling shows.
_numbers = np.random.default_rng(1).random(1 << 16, np.float32)


def _of_transformers(extractor: Any, waveform: Any, *rest: Any, **named: Any) -> tuple[Any, int, tuple[int, ...]]:
    settings = [getattr(extractor, name, None) for name in ("n_fft", "hop_length", "sampling_rate")]
    whisper = settings == [FFT, HOP, RATE] and not getattr(extractor, "dither", 0)
    return _clip(waveform) if whisper else None, getattr(extractor, "feature_size", 0), np.shape(waveform)[:-1]


def _of_openai(audio: Any, n_mels: int = 80, padding: int = 0, device: Any = None) -> tuple[Any, int, tuple[int, ...]]:
    if isinstance(audio, (str, os.PathLike)):
        audio = sys.modules["whisper.audio"].load_audio(str(audio))
    wave = _clip(audio)
    return wave if wave is None or not padding else np.pad(wave, (0, padding)), n_mels, tuple(audio.shape[:-1])


def _clip(x: Any) -> Any:
    """One clip of finite numbers, as float32."""
    x = np.asarray(x.detach().cpu() if hasattr(x, "detach") else x)
    x = x.reshape(-1) if x.ndim > 0 and x.size == x.shape[-1] else x
    return x.astype(np.float32, copy=False) if x.ndim == 1 and x.size > FFT and x.dtype.kind in "fi" and np.isfinite(x).all() else None


def _wav(wave: Any, how: str) -> bytes:
    """The bytes of a WAV file that restores these samples, or None."""
    if how == "float32":
        plain = wave.astype("<f4")
    else:
        plain = np.clip(np.round(wave * int(how[6:])), -32768, 32767).astype("<i2") if how.startswith("int16/") else None
        if plain is None or not np.array_equal(plain.astype(np.float32) / np.float32(32768), wave):
            return b""
    return offline._wav_header(plain, RATE) + plain.tobytes()


def _arrays(x: Any) -> Iterator[Any]:
    if isinstance(x, (tuple, list)):
        for item in x:
            yield from _arrays(item)
    elif hasattr(x, "keys"):
        for name in x.keys():
            yield from _arrays(x[name])
    elif hasattr(x, "shape"):
        x = x.detach().cpu() if hasattr(x, "detach") else x
        yield np.asarray(x.float() if "bfloat16" in str(x.dtype) else x)


def _time(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds < 120 else f"{seconds / 60:.0f} min"
