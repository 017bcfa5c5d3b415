"""Draws findings of `saturate scan --format json` at random, to be judged from the source before the rule is read.

    python3 peers/scan/sample.py --seed 1 trl.json espnet.json
    python3 peers/scan/sample.py --seed 2 --seen docs/evidence/scan.md trl.json espnet.json

What is printed is the place and the claim and nothing else: no code, name, reason, evidence or advice. With --seen, a
finding whose place and claim stand in that file is not drawn again. With --per-file, so many are drawn of each report.
"""

import argparse
import json
import random
from pathlib import Path


def row(finding):
    claim = finding["message"].replace("|", "\\|")
    return f"{finding['path']}:{finding['line']} | {claim} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("reports", nargs="+", type=Path)
    parser.add_argument("-n", type=int, default=60)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--seen", type=Path)
    parser.add_argument("--per-file", action="store_true")
    args = parser.parse_args()

    seen = args.seen.read_text() if args.seen else ""
    groups = [sorted({row(f) for f in json.loads(p.read_text())["findings"]}) for p in sorted(args.reports)]
    if not args.per_file:
        groups = [sum(groups, [])]
    chance = random.Random(args.seed)
    print("| # | place | claim | judged | why |\n|---|---|---|---|---|")
    number = 0
    for group in groups:
        fresh = sorted(r for r in group if r not in seen)
        for line in sorted(chance.sample(fresh, min(args.n, len(fresh)))):
            number += 1
            print(f"| {number} | {line}")


if __name__ == "__main__":
    main()
