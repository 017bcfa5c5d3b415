#!/bin/bash
#SBATCH --job-name=saturate-{{.Kind}}
#SBATCH --array=0-{{.Last}}
#SBATCH --cpus-per-task={{.CPUs}}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=saturate-{{.Kind}}-%A_%a.log
#
# {{.Shards}} shards by {{.Tasks}} tasks. Start: sbatch {{.File}}. See how far it is: {{.Status}}
# A task that dies, or whose node does, is started again; it skips what is published and loses one shard at most.
# Limit how many tasks run at a time with: sbatch --array=0-{{.Last}}%16 {{.File}}

set -u
saturate=${SATURATE:-saturate}

"$saturate" {{.Work}} --shard "$SLURM_ARRAY_TASK_ID/{{.Tasks}}" && exit 0
code=$?

if [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
    echo "exit code $code; this task goes back to the queue"
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}" && sleep 60
fi
exit "$code"
