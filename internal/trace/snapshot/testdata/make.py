"""Writes made.pickle: a memory snapshot by the schema of torch.cuda.memory._snapshot, small enough to check by hand, and evil.pickle.

100 steps each keep 3 MiB (model.py:20 forward) and free 1 MiB (model.py:21 forward); weights of 10 MiB (train.py:5 main) were there first.
Then 64 MiB are asked for (model.py:20 forward) and the device has 1 MiB left.
"""
import os
import pickle

M = 1 << 20
frame = lambda f, line, name: {"filename": f, "line": line, "name": name}
linear = frame("/usr/lib/python3.12/site-packages/torch/nn/modules/linear.py", 125, "forward")
weights = [frame("/src/train.py", 5, "main")]
kept = [linear, frame("/src/model.py", 20, "forward"), frame("/src/train.py", 9, "train"), frame("/src/train.py", 30, "main")]
gone = [frame("/src/model.py", 21, "forward"), frame("/src/train.py", 9, "train")]
trace, blocks, at, us = [], [], 1 << 44, 0


def act(action, addr, size, frames, **more):
    global us
    us += 10
    trace.append({"action": action, "addr": addr, "size": size, "stream": 0, "time_us": us, "frames": frames, **more})


act("segment_alloc", at, 512 * M, [])
act("alloc", at, 10 * M, weights)
blocks.append({"address": at, "size": 10 * M, "requested_size": 10 * M - 100, "state": "active_allocated", "frames": weights})
at += 10 * M
for step in range(100):
    act("alloc", at, 3 * M, kept)
    blocks.append({"address": at, "size": 3 * M, "requested_size": 3 * M, "state": "active_allocated", "frames": kept})
    act("alloc", at + 3 * M, M, gone)
    act("free_requested", at + 3 * M, M, gone)
    act("free_completed", at + 3 * M, M, gone)
    at += 3 * M
act("oom", 0, 64 * M, kept, device_free=M)
rest = (1 << 44) + 350 * M - at
blocks.append({"address": at, "size": rest, "requested_size": 0, "state": "inactive", "frames": []})
snapshot = {"segments": [{"device": 0, "address": 1 << 44, "total_size": 350 * M, "allocated_size": 310 * M, "active_size": 310 * M, "stream": 0,
                          "segment_type": "large", "blocks": blocks}],
            "device_traces": [trace], "allocator_settings": {"expandable_segments": False}, "external_annotations": []}
here = os.path.dirname(os.path.abspath(__file__))
for protocol in (2, 4):
    with open(os.path.join(here, f"made{protocol}.pickle"), "wb") as f:
        pickle.dump(snapshot, f, protocol)


class Evil:
    def __reduce__(self):
        return os.system, ("touch executed",)


with open(os.path.join(here, "evil.pickle"), "wb") as f:
    pickle.dump({"segments": [Evil()]}, f, 4)
