"""Reads shards as a training program does: 2 ranks with 4 workers each, an epoch, an epoch continued, JAX's arrays."""

import json
import sys

sys.path.insert(0, sys.argv[1])
import numpy as np
import torch
from saturate_gpu.mel import MelDataset, MelShards

path = sys.argv[2]
store = {"cache": sys.argv[3], "keep": sys.argv[4]} if len(sys.argv) > 3 else {}  # of an object store
torch.set_num_threads(1)


def epoch(number, workers=4, world=2, states=None, stop=None, **more):
    """What every rank gets, and the states after `stop` batches."""
    got, kept = [], []
    for rank in range(world):
        data = MelShards(path, batch_size=3, seed=5, rank=rank, world_size=world, columns=["path"], frames=40, **store, **more)
        if states:
            data.load_state_dict(json.loads(json.dumps(states[rank])))
        mine = []
        for taken, batch in enumerate(data.loader(number, num_workers=workers)):
            if stop is not None and taken == stop:
                break
            mine.append(batch["path"])
        if stop is not None:
            kept.append(data.state_dict(batches=stop))
        got.append(mine)
    return got, kept


flat = lambda ranks: [p for mine in ranks for batch in mine for p in batch]
every = MelDataset(path, columns=["path"], **store)
names = sorted(every[i]["path"] for i in range(len(every)))
first, _ = epoch(0)
second, _ = epoch(1)
alone, _ = epoch(0, workers=0)
begun, states = epoch(0, stop=7)
rest, _ = epoch(0, states=states)
other, _ = epoch(0, states=[states[0]] * 3, world=3, workers=2)
numpy = [b for b in MelShards(path, batch_size=3, seed=5, rank=0, world_size=2, columns=["path"], frames=40, **store).batches(0)]
even, _ = epoch(0, workers=2, even=True)
rows = MelShards(path, batch_size=3, seed=5, rank=0, world_size=1, columns=["path"], **store)
jax_sum = None
try:
    import jax.numpy as jnp
    jax_sum = float(jnp.asarray(numpy[0]["mel"]).astype(jnp.float32).sum()) - float(numpy[0]["mel"].astype(np.float32).sum())
except ImportError:
    pass
print(json.dumps({
    "samples": len(names),
    "once": sorted(flat(first)) == names and sorted(flat(second)) == names,
    "shuffled": flat(first) != names and flat(first) != flat(second),
    "workers_do_not_matter": first == alone,
    "continued": [a + b for a, b in zip(begun, rest)] == first,
    "other_world": sorted(flat(begun) + flat(other)) == names,
    "numpy": [b["path"] for b in numpy] == first[0] and numpy[0]["mel"].dtype == np.float16,
    "even": len({len(mine) for mine in even}) == 1,
    "length": len(rows) == len(names),
    "jax": jax_sum is None or abs(jax_sum) < 1,
    "has_jax": jax_sum is not None,
}))
