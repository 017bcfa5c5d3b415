"""Starts a Ray cluster of two nodes on this machine, runs the script that `saturate … work --emit ray` wrote, and kills the second node while it
works: python ray_cluster.py SCRIPT PLACE. A third node takes its place."""

import os
import subprocess
import sys
import time

from ray.cluster_utils import Cluster

script, place = sys.argv[1], sys.argv[2]
done = os.path.join(place, "done")
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
second = cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
job = subprocess.Popen([sys.executable, script], env={**os.environ, "RAY_ADDRESS": cluster.address})
while job.poll() is None and (not os.path.isdir(done) or len(os.listdir(done)) < 3):
    time.sleep(0.05)
before = len(os.listdir(done))
cluster.remove_node(second, allow_graceful=False)
print(f"killed a node after {before} shards", flush=True)
cluster.add_node(num_cpus=1)
code = job.wait()
cluster.shutdown()
sys.exit(code)
