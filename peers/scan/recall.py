"""Tells which of the labelled places (labels.tsv) a scan finds, by kind.

    python3 peers/scan/recall.py SATURATE CLONES [-v] [--labels peers/scan/labels-held-out.tsv]

CLONES holds each repository of labels.tsv at its commit, in a folder named owner+name. A label is found when the scan
has a finding of its kind in the same file, at most 3 lines away or at the call whose argument the label names, or whose
evidence stands there; what concerns a program as a whole (precision, tf32,
cudnn, compile, channels-last, pin, persistent, workers) may stand anywhere in the file or, where a loader or a trainer
is made elsewhere, in the repository.
"""

import argparse
import ast
import collections
import csv
import json
import subprocess
from pathlib import Path

KINDS = {
    "eval": "SAT212 SAT712 SAT301 SAT304 SAT310 SAT311 SAT321 SAT325 SAT706 SAT707 SAT708 SAT709 SAT512 SAT513 SAT509 SAT811",
    "zero-grad": "SAT506",
    "accumulation": "SAT602 SAT606 SAT710 SAT211",
    "logging": "SAT302 SAT310 SAT304 SAT301 SAT303 SAT315 SAT711 SAT803 SAT708",  # progress bars, gradient norms and a checkpoint written twice, too
    "batch": "SAT211 SAT606 SAT709",  # the batch of an evaluation, too
    "jit": "SAT801 SAT802 SAT803 SAT313",
    "prefetch": "SAT206 SAT127 SAT136",
    "dtype": "SAT419 SAT423 SAT424",  # frozen weights in float32, too
    "other": "SAT137 SAT313 SAT604 SAT103 SAT106 SAT119 SAT131 SAT132 SAT214 SAT326 SAT109 SAT129 SAT130 SAT308 SAT310 SAT320 SAT321 SAT322 SAT421 SAT422 SAT503 SAT512 SAT513 SAT515 SAT711 SAT804 SAT811 SAT213 SAT307 SAT315 SAT327 SAT602 SAT708 SAT127 SAT206 SAT706 SAT707 SAT709 SAT318 SAT201 SAT319 SAT425 SAT426 SAT428",  # what stands at that line, if a rule knows it
    "precision": "SAT401 SAT419 SAT423 SAT701 SAT702 SAT812",
    "tf32": "SAT404 SAT809",
    "float16": "SAT402",
    "copy": "SAT311 SAT312 SAT304 SAT803",  # to the host, too
    "made-on-host": "SAT318 SAT129 SAT130 SAT311 SAT312",  # a table whose cache fails is made anew; SAT311 also names lists and arrays that a step turns into tensors
    "read-back": "SAT301 SAT302 SAT303 SAT304 SAT305 SAT306 SAT307 SAT310 SAT315 SAT317 SAT324 SAT325 SAT711 SAT803",
    "dynamic-shape": "SAT306 SAT807 SAT808",
    "workers": "SAT201 SAT210 SAT704 SAT121",  # of tf.data, too
    "persistent": "SAT202 SAT207",  # a loader made anew in each epoch restarts them, too
    "pin": "SAT203",
    "optimizer": "SAT406 SAT407 SAT320 SAT322 SAT506",  # its zero_grad and its weight decay, too
    "data-parallel": "SAT601 SAT602 SAT604",
    "channels-last": "SAT415",
    "cudnn": "SAT413 SAT414",
    "padding": "SAT113 SAT115",
    "attention": "SAT409 SAT410 SAT417",
    "graph": "SAT507 SAT512 SAT513 SAT514 SAT515",
    "features": "SAT104 SAT107 SAT124 SAT110 SAT126 SAT108 SAT424",  # what turns bytes into numbers, and a resampler made for each sample, too
    "features-in-loop": "SAT103 SAT136 SAT104 SAT109 SAT127 SAT110 SAT318",  # by a frozen model, too
    "constant-load": "SAT106 SAT109 SAT127",
    "decode": "SAT103 SAT104 SAT109 SAT110 SAT108 SAT126 SAT119 SAT128 SAT134 SAT135",  # features made once need no decoding
    "python-loop": "SAT136 SAT119 SAT315 SAT319 SAT320 SAT321 SAT325 SAT125 SAT416 SAT706 SAT709 SAT801 SAT805 SAT301",  # SAT801: weights updated array by array
    "slow-tokenizer": "SAT112",
    "map": "SAT120 SAT121 SAT123",
    "bucketing": "SAT114",
    "unused-parameters": "SAT603",
    "jit-in-loop": "SAT802",
    "compile": "SAT411 SAT412",
    "hoistable": "SAT318 SAT107 SAT129 SAT312",  # a table that each step copies, or whose cache fails, too
    "anomaly": "SAT313 SAT314",
    "empty-cache": "SAT308 SAT307",  # what waits for the GPU without need, too
    "tokenize": "SAT111",
    "tts": "SAT101 SAT102 SAT103 SAT104 SAT105 SAT107 SAT127",
    "donation": "SAT804",
    "generate": "SAT706 SAT709 SAT713 SAT512 SAT513",
    "checkpointing": "SAT502 SAT503 SAT505",
    "random": "SAT137 SAT104 SAT126 SAT135 SAT107 SAT119",  # slow augmentation of each sample
    "collate": "SAT136 SAT116 SAT119 SAT133 SAT125 SAT113 SAT111 SAT104",
}
NEAR = {"pin": {"SAT311"}}  # a copy that waits, from pinned memory, too: it counts at its line alone
ANYWHERE = {"precision", "tf32", "cudnn", "compile", "channels-last", "pin", "persistent", "workers"}


def findings(binary, folder, options=()):
    run = subprocess.run([binary, "scan", "-q", "--format", "json", *options, str(folder)], capture_output=True, text=True)
    found = json.loads(run.stdout)["findings"]
    for f in found:
        path = within(folder, f["path"])
        at = f.get("in_file") or f  # of a notebook: the line of its file, not of the cell
        f["places"] = [(f["code"], path, at["line"], max(at.get("end_line", at["line"]), through(folder, path, at["line"])))]
        for e in f.get("evidence") or []:
            if at := e.get("location"):
                f["places"].append((e.get("code") or f["code"], within(folder, at["path"]), at["line"], at["line"]))
    return found


def through(folder, path, line):
    """The last line of the calls that start in a line: a finding about a call is about its arguments, too."""
    try:
        tree = ast.parse((folder / path).read_text())
    except (OSError, SyntaxError, ValueError):
        return line
    return max((n.end_lineno for n in ast.walk(tree) if isinstance(n, ast.Call) and n.lineno == line), default=line)


def within(folder, path):
    try:
        return str(Path(path).resolve().relative_to(folder.resolve()))
    except ValueError:
        return path


class Scans:
    """The scans of repositories that have labels, each made when it is first asked for."""

    def __init__(self, binary, clones, all=False):
        self.binary, self.clones, self.options, self.of = binary, Path(clones), ["--all"] * all, {}

    def hit(self, label):
        """Whether the scan finds what a label names."""
        name = label["repository"]
        if name not in self.of:
            self.of[name] = findings(self.binary, self.clones / name.replace("/", "+"), self.options)
        kind, line = label["kind"], int(label["line"])
        codes = KINDS[kind].split()
        near = [*codes, *NEAR.get(kind, ())]
        return any(
            kind in ANYWHERE and any(place[0] in codes for place in f["places"])
            or any(
                code in near and path == label["path"] and (line == 0 or first - 3 <= line <= last + 3)
                for code, path, first, last in f["places"]
            )
            for f in self.of[name]
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("clones", type=Path)
    parser.add_argument("-v", action="store_true", help="name what is missed")
    parser.add_argument("--labels", type=Path, default=Path(__file__).parent / "labels.tsv")
    parser.add_argument("--all", action="store_true", help="count what costs little, too")
    args = parser.parse_args()
    scans = Scans(args.binary, args.clones, args.all)
    table = collections.defaultdict(lambda: [0, 0])
    for row in csv.DictReader(args.labels.open(), delimiter="\t"):
        hit = scans.hit(row)
        for key in ((row["sure"], row["kind"]), (row["sure"], "all")):
            table[key][0] += hit
            table[key][1] += 1
        if args.v and not hit:
            print("missed:", row["repository"], f"{row['path']}:{row['line']}", row["kind"], row["sure"])
    for (sure, kind), (hits, all_) in sorted(table.items()):
        print(f"{sure:6} {kind:20} {hits:3} of {all_:3}  {hits / all_:.2f}")
    print("findings:", sum(len(found) for found in scans.of.values()))


if __name__ == "__main__":
    main()
