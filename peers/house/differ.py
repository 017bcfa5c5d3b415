"""Lists where the JSON of two builds differs, other than in texts: differ.py OLD-FOLDER NEW-FOLDER.

Two lists of findings are compared as sets of (code, file, line), and equal findings field by field. Everywhere else a
place is the path of keys, with [] for any element of a list. A text is a string with a space in it.
"""
import collections
import json
import pathlib
import sys

TEXTS = {"message", "title", "why", "advice", "summary", "basis", "detail", "reason", "name", "warnings", "note", "notes", "help"}


def place(finding):
    where = finding.get("where", finding)
    return finding.get("code"), where.get("path"), where.get("line")


def compare(old, new, at, out):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() | new.keys():
            if key == "findings" and isinstance(old.get(key), list) and isinstance(new.get(key), list):
                findings(old[key], new[key], out)
            elif key not in new:
                out[f"{at}.{key} only before"].append(old[key])
            elif key not in old:
                out[f"{at}.{key} only now"].append(new[key])
            elif key != "version":
                compare(old[key], new[key], f"{at}.{key}", out)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            out[f"{at}[] of another length"].append(f"{len(old)} -> {len(new)}")
        for a, b in zip(old, new):
            compare(a, b, f"{at}[]", out)
    elif old != new:
        words = isinstance(old, str) and isinstance(new, str) and (" " in old or " " in new or at.rsplit(".", 1)[-1].rstrip("[]") in TEXTS)
        out["texts" if words else f"{at} changed"].append(f"{old!r} -> {new!r}")


def findings(old, new, out):
    before, now = collections.defaultdict(list), collections.defaultdict(list)
    for f in old:
        before[place(f)].append(f)
    for f in new:
        now[place(f)].append(f)
    for key in before.keys() | now.keys():
        for a, b in zip(before[key], now[key]):
            compare(a, b, "finding", out)
        for _ in before[key][len(now[key]):]:
            out[f"finding {key[0]} only before"].append(key[1:])
        for _ in now[key][len(before[key]):]:
            out[f"finding {key[0]} only now"].append(key[1:])


def main(old_folder, new_folder):
    total, same = collections.Counter(), collections.Counter()
    differences = collections.defaultdict(lambda: collections.defaultdict(list))
    for old in sorted(pathlib.Path(old_folder).glob("*.rc")):
        name = old.name[:-3]
        command = name.split(":")[0]
        codes = old.read_text().strip(), (pathlib.Path(new_folder) / old.name).read_text().strip()
        total[command] += 1
        out = collections.defaultdict(list)
        texts = [(pathlib.Path(folder) / name).read_text() for folder in (old_folder, new_folder)]
        if codes[0] != codes[1]:
            out[f"exit code {codes[0]} -> {codes[1]}"].append(name.split(":", 1)[1].replace(",", "/"))
        if all(texts):
            compare(*(json.loads(t) for t in texts), "", out)
        elif any(texts):
            out["no JSON " + ("before" if not texts[0] else "now")].append(name)
        same[command] += not set(out) - {"texts"}
        for where, what in out.items():
            differences[command][where] += what
    for command in total:
        print(f"\n{command}: {total[command]} compared, {same[command]} the same but for texts")
        for where, what in sorted(differences[command].items(), key=lambda kv: -len(kv[1])):
            print(f"{len(what):6}  {where:50}  {str(what[0])[:110]}")


main(*sys.argv[1:])
