"""Prints what optimize did on a job beside the job tuned by hand: python3 table.py JOB FOLDER SECONDS."""

import json
import sys
from statistics import median

job, folder, took = sys.argv[1:]


def read(name):
    try:
        with open(f"{folder}/{name}") as f:
            whole = json.load(f)
        return whole.get("data", whole)
    except (OSError, ValueError) as e:
        print(f"{job}: {name}: {e}")
        return {}


def ms(seconds):
    return f"{1000 * seconds:.1f} ms" if isinstance(seconds, (int, float)) else "–"


result, pairs = read(f"{job}.json"), read(f"{job}-hand.json")
before, after = result.get("baseline", {}), result.get("after") or {}
sides = pairs
hand, auto = ((sides.get(side) or {}).get("median_s_per_it") for side in ("before", "after"))
speeds = sorted(h / a for h, a in zip(*((sides.get(side) or {}).get("s_per_it", []) for side in ("before", "after"))))
if speeds:
    print(f"{job}: {median(speeds):.0%} of the hand-tuned speed in {len(speeds)} pairs ({speeds[0]:.0%} to {speeds[-1]:.0%})")
print(f"{job}: before {ms(before.get('s_per_it'))}, automatic {ms(auto)}, by hand {ms(hand)}; "
      f"GPU busy {before.get('gpu_busy', 0):.0%} to {after.get('gpu_busy', 0):.0%}; {int(took) / 60:.1f} min; "
      f"ended: {(result.get('end') or {}).get('text') or result.get('unfinished')}")
at = None
for rung in result.get("ladder", []):
    predicted = rung.get("predicted")
    told = f"predicted {ms(predicted['s_per_it'])}" if predicted else f"estimated to save {rung.get('saves', 0):.0%}"
    print(f"  {rung['id']:28} {rung['decision']:14} {ms(rung.get('before_s_per_it')):>10} -> {ms(rung.get('after_s_per_it')):>10}  "
          f"{told:24} {rung.get('took_s', 0):5.0f} s  bound {rung.get('bound', '–'):14} {rung.get('because', '')[:90]}")
for item in result.get("left", [])[:5]:
    print(f"  left: {item['id']:20} {item['saves']:.0%} {item['title'][:70]}")
