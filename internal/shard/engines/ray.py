"""{{.Shards}} shards on a Ray cluster. Start on the cluster: python {{.File}}, or: ray job submit -- python {{.File}}

Each task makes one shard by calling saturate. A task that fails, or whose node dies, is retried elsewhere; what is published is skipped,
so this file can be started again at any time. See how far it is: {{.Status}}
"""

import os
import subprocess
import sys

import ray

SATURATE = os.environ.get("SATURATE", "saturate")
WORK = {{.Python}}
SHARDS, CPUS = {{.Shards}}, {{.CPUs}}


@ray.remote(num_cpus=CPUS, max_retries=5, retry_exceptions=True)
def make(shard: int) -> int:
    done = subprocess.run([SATURATE, *WORK, "--shard", f"{shard}/{SHARDS}", "--quiet"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"shard {shard}: {done.stderr.strip() or done.stdout.strip()}")
    return shard


def main() -> int:
    ray.init(address=os.environ.get("RAY_ADDRESS", "auto"))
    cores = ray.cluster_resources().get("CPU", 1)
    ahead = max(16, int(2 * cores / CPUS))  # tasks in flight: the scheduler need not know of all shards at once
    waiting: dict[ray.ObjectRef, int] = {}
    todo = iter(range(SHARDS))
    done, failed = 0, []
    while True:
        while len(waiting) < ahead and (shard := next(todo, None)) is not None:
            waiting[make.remote(shard)] = shard
        if not waiting:
            break
        ready, _ = ray.wait(list(waiting))
        for task in ready:
            shard = waiting.pop(task)
            try:
                ray.get(task)
                done += 1
            except Exception as error:  # after all retries
                failed.append(shard)
                print(f"shard {shard} failed: {error}", file=sys.stderr)
        if done % max(1, SHARDS // 20) == 0 or done + len(failed) == SHARDS:
            print(f"{done} of {SHARDS} shards, {len(failed)} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
