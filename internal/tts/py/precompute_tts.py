"""Synthesizes the speech of a dataset once, before training, with a function of yours.

    python precompute_tts.py texts.txt -o speech/

FUNCTION is called as function(text, voice) and returns one of
  - (samples, rate): floats in [-1, 1] or 16-bit integers, mono; as a list, array or tensor
  - bytes: a whole WAV file
  - the path of a WAV file
Files are named after text, voice, function and VERSION. Existing files are skipped, so a run that was
stopped or killed resumes where it stopped. manifest.json lists the files in the order of the
texts, failures.jsonl lists what failed. Only Python's standard library is needed.
"""

import argparse
import array
import concurrent.futures
import csv
import hashlib
import importlib
import io
import json
import os
import sys
import tempfile
import time
import unicodedata
import wave
import zlib
from pathlib import Path

FUNCTION = "module:function"  # what speaks
VERSION = "1"  # change it when the function sounds different: its files are then made again

STATE = ".saturate-tts"
OWN_FIELDS = ["audio_filepath", "text", "duration", "voice", "engine", "sha256"]
TEXT_COLUMNS = ["text", "sentence", "transcript", "transcription", "normalized_text", "caption"]


# --- texts -----------------------------------------------------------------------------------


def read_texts(path, column):
    """Rows as (place, text, other columns); texts that cannot be spoken as (place, text, reason)."""
    rows, rejected = [], []
    data = Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf")
    for place, text, columns in parse(Path(path).suffix.lower(), data, column):
        if "\udc80" <= max(text, default="") <= "\udcff":
            rejected.append((place, text.encode("utf-8", "replace").decode(), "the text is not valid UTF-8"))
            continue
        text = "".join(" " if unicodedata.category(c) == "Cc" else c for c in text).strip()
        if text:
            rows.append((place, text, columns))
    if not rows and not rejected:
        sys.exit(f"{path} has no texts")
    return rows, rejected


def parse(suffix, data, column):
    text = data.decode("utf-8", "surrogateescape")
    if suffix in (".csv", ".tsv"):
        table = csv.reader(io.StringIO(text, newline=""), delimiter="," if suffix == ".csv" else "\t")
        header = next(table, [])
        name = text_column(header, column)
        for cells in table:
            row = dict(zip(header, cells))
            if row:
                yield f"line {table.line_num}", row.pop(name, ""), row
    elif suffix in (".jsonl", ".ndjson", ".json"):
        lines = [(f"line {n}", line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        if suffix == ".json":
            lines = [(f"entry {n}", json.dumps(row)) for n, row in enumerate(json.loads(text), 1)]
        for place, line in lines:
            row = json.loads(line)
            if isinstance(row, str):
                row = {"text": row}
            yield place, str(row.pop(text_column(list(row), column))), row
    else:
        for n, line in enumerate(text.split("\n"), 1):
            yield f"line {n}", line, {}


def text_column(names, wanted):
    for name in [wanted] if wanted else TEXT_COLUMNS:
        if name in names:
            return name
    sys.exit(f"no text column; the columns are {', '.join(names)}: choose one with --text-column")


# --- files -----------------------------------------------------------------------------------


def key_of(voice, text):
    fields = ["saturate-tts/1", "python", VERSION, FUNCTION, voice, "1.000", "1.000", "0", text]
    return hashlib.sha256("\0".join(fields).encode()).hexdigest()[:32]


def file_of(key):
    return f"audio/{key[:2]}/{key}.wav"


def own_folder(path):
    """A folder for this script. A link of that name is refused: it could lead to someone's files."""
    path.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        sys.exit(f"{path} is a link, not a folder; remove it first")
    return path


def write_whole(scratch, path, data):
    """Write a file atomically."""
    handle, temporary = tempfile.mkstemp(dir=scratch)  # a new name: others may have put files there
    with open(handle, "wb") as f:
        f.write(data)
        os.chmod(temporary, 0o644)
        f.flush()
        os.fsync(f.fileno())
    os.replace(temporary, path)


def as_wav(spoken):
    """What the function returned, as (bytes of a WAV file, samples, rate)."""
    if isinstance(spoken, (str, Path)):
        spoken = Path(spoken).read_bytes()
    if not isinstance(spoken, (bytes, bytearray)):
        samples, rate = spoken
        samples = samples.tolist() if hasattr(samples, "tolist") else list(samples)
        if any(isinstance(v, list) for v in samples):
            samples = [v for part in samples for v in (part if isinstance(part, list) else [part])]
        if any(isinstance(v, float) for v in samples):
            samples = [round(v * 32768) for v in samples]
        pcm = array.array("h", [min(max(v, -32768), 32767) for v in samples])
        if sys.byteorder == "big":
            pcm.byteswap()
        out = io.BytesIO()
        with wave.open(out, "wb") as w:
            w.setparams((1, 2, int(rate), 0, "NONE", ""))
            w.writeframes(pcm.tobytes())
        spoken = out.getvalue()
    with wave.open(io.BytesIO(spoken)) as w:
        frames = w.getnframes()
        got = len(w.readframes(frames)) // (w.getsampwidth() * w.getnchannels())
        if frames == 0 or got != frames:
            raise ValueError(f"the audio has {got} of {frames} samples")
        return bytes(spoken), frames, w.getframerate()


class Store:
    """The output folder: finished files, and a journal with a line for each."""

    def __init__(self, folder, settings, replace):
        self.folder = Path(folder)
        state = self.folder / STATE
        for name in ["manifest.json", "manifest.jsonl", "failures.jsonl"]:
            if not state.exists() and (self.folder / name).exists():
                sys.exit(f"{folder} holds a {name} that this script did not write; choose another folder")
        own_folder(state)
        try:
            self.hold = open(state / "lock", "a", opener=lambda name, how: os.open(name, how | getattr(os, "O_NOFOLLOW", 0)))
        except OSError as error:
            sys.exit(f"cannot lock {folder}: {error}")
        try:
            import fcntl

            fcntl.flock(self.hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass
        except OSError:
            sys.exit(f"another run is writing to {folder}")
        self.scratch = own_folder(state / "tmp")
        for left in self.scratch.iterdir():  # by a run that was killed
            left.unlink()
        path = state / "journal.jsonl"
        whole = path.read_bytes() if path.exists() else b""
        whole = whole[: whole.rfind(b"\n") + 1]  # a killed run may leave half a line
        lines = whole.splitlines()
        if lines and json.loads(lines[0])["settings"] != settings and not replace:
            sys.exit(f"{folder} was made with other settings; choose another folder, or add --replace")
        if not lines or json.loads(lines[0])["settings"] != settings:
            whole, lines = json.dumps({"settings": settings}).encode() + b"\n", []
        write_whole(self.scratch, path, whole)
        self.done = {entry["key"]: entry for entry in map(json.loads, lines[1:])}
        self.journal = open(path, "ab", buffering=0)

    def have(self, key):
        path = self.folder / file_of(key)
        if not path.exists():
            return False
        if key in self.done:
            return path.stat().st_size == self.done[key]["bytes"]
        try:  # finished, but the run was killed before it was noted
            self.note(key, *as_wav(path))
        except (ValueError, wave.Error, EOFError):
            return False
        return True

    def put(self, key, data, samples, rate):
        path = self.folder / file_of(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.scratch, path, data)
        self.note(key, data, samples, rate)

    def note(self, key, data, samples, rate):
        entry = {"key": key, "samples": samples, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "rate": rate}
        self.journal.write(json.dumps(entry).encode() + b"\n")
        self.done[key] = entry


# --- the run ---------------------------------------------------------------------------------


def plan(rows, voices, variants):
    entries = []
    for place, text, columns in rows:
        first = zlib.crc32(text.encode()) & 0x7FFFFFFF
        for k in range(variants):
            voice = voices[(first + k) % len(voices)]
            entries.append((key_of(voice, text), place, text, voice, columns))
    return entries


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", help="lines, or .csv, .tsv, .jsonl, .json")
    parser.add_argument("-o", "--output", required=True, help="folder for the files and the manifest")
    parser.add_argument("--voices", default="default", help="voices of your function, separated by commas")
    parser.add_argument("--variants", type=int, default=1, help="voices for each text")
    parser.add_argument("--workers", type=int, default=1, help="threads that call your function")
    parser.add_argument("--retries", type=int, default=2)
    parser.add_argument("--text-column", default="")
    parser.add_argument("--manifest", choices=["json", "nemo"], default="json")
    parser.add_argument("--replace", action="store_true", help="overwrite the manifest of other settings")
    options = parser.parse_args()
    voices = [v for v in options.voices.split(",") if v]
    if not 1 <= options.variants <= len(voices):
        sys.exit(f"--variants must be 1 to {len(voices)}, the number of voices")

    rows, rejected = read_texts(options.texts, options.text_column)
    settings = {"function": FUNCTION, "version": VERSION, "voices": voices, "variants": options.variants}
    store = Store(options.output, settings, options.replace)
    entries = plan(rows, voices, options.variants)
    todo = {key: (text, voice) for key, _, text, voice, _ in entries if not store.have(key)}
    print(f"{len(todo)} of {len({e[0] for e in entries})} files to make", file=sys.stderr)

    failed = speak_all(store, todo, options)
    write_lists(store, entries, rejected, failed, options.manifest)
    print(f"{len(store.done)} files, {len(failed) + len(rejected)} failures", file=sys.stderr)
    return 1 if failed or rejected else 0


def speak_all(store, todo, options):
    if not todo:
        return {}
    sys.path.insert(0, os.getcwd())
    module, _, name = FUNCTION.partition(":")
    function = getattr(importlib.import_module(module), name)

    def speak(text, voice):
        for attempt in range(options.retries + 1):
            try:
                return as_wav(function(text, voice))
            except Exception as error:
                if attempt == options.retries:
                    raise
                print(f"{type(error).__name__}: {error}; retrying", file=sys.stderr)

    failed, started, told = {}, time.monotonic(), 0.0
    pool = concurrent.futures.ThreadPoolExecutor(options.workers)
    waiting = iter(todo.items())
    running = {}
    try:
        while True:
            while len(running) < 2 * options.workers:
                key, job = next(waiting, (None, None))
                if key is None:
                    break
                running[pool.submit(speak, *job)] = key
            if not running:
                return failed
            finished, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in finished:
                key = running.pop(future)
                error = future.exception()
                if error is None:
                    store.put(key, *future.result())
                else:
                    failed[key] = f"{type(error).__name__}: {error}"
            passed = time.monotonic() - started
            if passed - told > 10:
                told = passed
                made = sum(key in store.done for key in todo)
                print(f"{made} of {len(todo)} files, {made / passed:.1f}/s", file=sys.stderr)
    finally:
        pool.shutdown(cancel_futures=True)


def beside(name, columns):
    """The name of a column beside ours: input_NAME if one of ours has that name."""
    if name in OWN_FIELDS:
        while name in OWN_FIELDS or name in columns:
            name = "input_" + name
    return name


def write_lists(store, entries, rejected, failed, form):
    objects, failures = [], [{"place": p, "text": t, "reason": r} for p, t, r in rejected]
    for key, place, text, voice, columns in entries:
        if key in failed:
            failures.append({"place": place, "text": text, "voice": voice, "reason": failed[key]})
            continue
        made = store.done[key]
        entry = {"audio_filepath": file_of(key), "text": text, "duration": round(made["samples"] / made["rate"], 6)}
        entry |= {"voice": voice, "engine": f"python {FUNCTION} {VERSION}", "sha256": made["sha256"]}
        entry |= {beside(name, columns): value for name, value in columns.items()}
        objects.append(json.dumps(entry, ensure_ascii=False))
    if form == "json":
        write_whole(store.scratch, store.folder / "manifest.json", ("[\n" + ",\n".join(objects) + "\n]\n").encode())
    else:
        write_whole(store.scratch, store.folder / "manifest.jsonl", "".join(o + "\n" for o in objects).encode())
    list_of_failures = store.folder / "failures.jsonl"
    if failures:
        write_whole(store.scratch, list_of_failures, "".join(json.dumps(f, ensure_ascii=False) + "\n" for f in failures).encode())
    else:
        list_of_failures.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
