"""Tells how far two people who label the same repositories agree, and what a scan finds of the places both call clear.

    python3 peers/scan/agree.py FIRST.tsv SECOND.tsv [SATURATE CLONES] [--all]

A place of the first is named by the second when a label of theirs stands at most 3 lines away (or, for what concerns a
program as a whole, anywhere in the file) and its kind is the same, or is told by the same rules (recall.py has the table).
Only repositories that both labelled count. With a scan, its recall is given for the places of the first by what the second says of them.
"""

import argparse
import collections
import csv
from pathlib import Path

import recall


def labels(path):
    with path.open() as f:
        return list(csv.DictReader(f, delimiter="\t"))


def same(a, b):
    """Whether two labels name one place."""
    if a["repository"] != b["repository"] or a["path"] != b["path"]:
        return False
    if a["kind"] != b["kind"] and not set(recall.KINDS[a["kind"]].split()) & set(recall.KINDS[b["kind"]].split()):
        return False
    return a["kind"] in recall.ANYWHERE or abs(int(a["line"]) - int(b["line"])) <= 3


def second_says(label, others):
    """What the second person calls the place: clear, softer or nothing."""
    said = {other["sure"] for other in others if same(label, other)}
    return "clear" if "clear" in said else "softer" if said else "nothing"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("scan", nargs="*", help="the program, and the folder of the checkouts")
    parser.add_argument("--all", action="store_true", help="count what costs little, too")
    args = parser.parse_args()
    first, second = labels(args.first), labels(args.second)
    both = {r["repository"] for r in first} & {r["repository"] for r in second}
    first, second = ([r for r in rows if r["repository"] in both] for rows in (first, second))
    print(f"{len(both)} repositories, {len(first)} and {len(second)} labels")
    scans = recall.Scans(*args.scan, all=args.all) if args.scan else None
    for one, other, name in ((first, second, "first"), (second, first, "second")):
        table = collections.defaultdict(lambda: [0, 0])
        for row in one:
            cell = table[row["sure"], second_says(row, other)]
            cell[0] += 1
            cell[1] += bool(scans and scans.hit(row))
        for (sure, said), (n, hits) in sorted(table.items()):
            found = f", found {hits:4} ({hits / n:.2f})" if scans else ""
            print(f"{name:6} says {sure:6}, the other {said:7}: {n:4}{found}")


if __name__ == "__main__":
    main()
