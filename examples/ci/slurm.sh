#!/bin/bash
#SBATCH --job-name=train
#SBATCH --gpus=1
#SBATCH --cpus-per-task=8
#SBATCH --time=01:00:00
# Trains as before, and leaves a Run with the time of every step. The exit code is the program's.
set -euo pipefail
export SATURATE_RUNS=${SLURM_SUBMIT_DIR:-.}/runs
saturate profile --name "$SLURM_JOB_NAME-$SLURM_JOB_ID" profiling:None -- srun python train.py

# One line of JSON for the job's record: what a step takes and what it waits for.
saturate report latest --format json | python3 -c '
import json, sys
run = json.load(sys.stdin)
print(json.dumps({"summary": run.get("summary", [])[:1]}))'
