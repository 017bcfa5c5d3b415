#!/usr/bin/env bash
# Runs both examples in turn and prints how many times faster the tuned one is.
#
#   examples/compare.sh [-n RUNS] [-o RESULT.json] [options of train.py]
#   examples/compare.sh -n 3 -o examples/results/h200.json --size small --steps 50
#
# PYTHON names the interpreter (default: python3); TUNED_OPTIONS are for the tuned one alone. Its clips are prepared
# anew by its first run, before its first step; the log says how long that took.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
runs=3 result=
while true; do
  case ${1:-} in
    -n) runs=$2 && shift 2 ;;
    -o) result=$2 && shift 2 ;;
    *) break ;;
  esac
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1

one() { # name, folder, options: a whole process, its output, its steps and its time
  local name=$1 folder=$2 began=$EPOCHREALTIME
  shift 2
  echo "== $name: $folder/train.py $*"
  "$python" "$here/data_wait.py" "$here/$folder/train.py" "$@" --log-steps "$scratch/$name.steps" | tee "$scratch/$name.out"
  echo "$began $EPOCHREALTIME" >"$scratch/$name.wall"
}

for ((i = 1; i <= runs; i++)); do
  one "$i-tuned" whisper-tts-tuned "$@" --cache "$scratch/cache" ${TUNED_OPTIONS:-}
  one "$i-slow" whisper-tts "$@"
done

"$python" - "$scratch" "$result" "$runs" "$@" <<'PYTHON'
import datetime, importlib.metadata, json, os, platform, re, shutil, statistics, subprocess, sys
from pathlib import Path

scratch, result, runs, options = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4:]


def gpu():
    if not shutil.which("nvidia-smi"):
        return None
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    return subprocess.run(query, capture_output=True, text=True).stdout.strip() or None


def read(name):
    out = (scratch / f"{name}.out").read_text()
    began, ended = map(float, (scratch / f"{name}.wall").read_text().split())
    s_per_it = float(re.search(r"^([\d.]+) s/it", out, re.M)[1])
    steps = [json.loads(line) for line in (scratch / f"{name}.steps").read_text().splitlines()]
    return {
        "name": name,
        "s_per_it": s_per_it,
        "data_wait_share": round(json.loads(out.splitlines()[-1])["wait_s_per_it"] / s_per_it, 4),
        "process_s": round(ended - began, 2),
        "step_s": [round(row["s"], 5) for row in steps],
        "losses": [round(row["loss"], 5) for row in steps],
        "output": out.splitlines(),
    }


slow = [read(f"{i}-slow") for i in range(1, runs + 1)]
tuned = [read(f"{i}-tuned") for i in range(1, runs + 1)]
median = {name: statistics.median(run["s_per_it"] for run in of) for name, of in (("slow", slow), ("tuned", tuned))}
pairs = [a["s_per_it"] / b["s_per_it"] for a, b in zip(slow, tuned)]
difference = max(abs(a - b) / a for x, y in zip(slow, tuned) for a, b in zip(x["losses"], y["losses"]))
found = {
    "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    "command": " ".join(["examples/compare.sh", "-n", str(runs), *options]),
    "machine": {
        "gpu": gpu(),
        "cpu_cores": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
    },
    "versions": {"python": platform.python_version()}
    | {name: importlib.metadata.version(name) for name in ("torch", "transformers", "tokenizers", "numpy")},
    "s_per_it": "wall clock of the steps after the fifth, divided by their number; the device is idle at both ends",
    "median": median,
    "ratio": median["slow"] / median["tuned"],
    "pair_ratios": pairs,
    "largest_relative_loss_difference": difference,
    "slow": slow,
    "tuned": tuned,
}
if result:
    text = json.dumps(found, indent=1)
    text = re.sub(r"\[[^\[\]{}\"]*\]", lambda numbers: " ".join(numbers[0].split()), text)
    Path(result).write_text(text + "\n")
for name, of in (("slow", slow), ("tuned", tuned)):
    each = "  ".join(f"{run['s_per_it']:.4f}" for run in of)
    waits = "  ".join(f"{run['data_wait_share']:.1%}" for run in of)
    print(f"{name:5}  {median[name]:.4f} s/it  (runs: {each})  waiting for data: {waits}")
print(f"ratio  {found['ratio']:.1f}  (pairs: {'  '.join(f'{pair:.1f}' for pair in pairs)})")
print(f"losses differ by at most {difference:.2g} of their value")
PYTHON
