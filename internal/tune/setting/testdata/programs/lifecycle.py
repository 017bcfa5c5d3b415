"""A program that is tuned from the outside without knowing of it; then one that tunes itself. Prints what it found as JSON."""

import gc
import json
import logging
import os
import sys
import time

folder = sys.argv[1]
sys.path.insert(0, folder)
control = os.path.join(folder, "control.json")
found, reports = {}, []

begin = time.process_time()
import saturate_tune

with open(os.path.join(folder, "plan.json")) as file:
    plan = json.load(file)
plan["control"] = control
saturate_tune.start(plan, reports.append)
found["start_ms"] = (time.process_time() - begin) * 1000
apply = saturate_tune.imported


def timed(library):
    begin = time.process_time()
    apply(library)
    found["apply_ms"] = (time.process_time() - begin) * 1000


saturate_tune.imported = timed
import torch

nn = torch.nn
found["applied"] = list(reports)

# Models: a large one is compiled, a small one not; an image model is laid out; each computes in bfloat16.
large, small = nn.Sequential(nn.Linear(1024, 1024)), nn.Sequential(nn.Linear(8, 8))
large.train(), small.train()
found["compiled"] = [m._compiled_call_impl is not None for m in (large, small)]
image = nn.Sequential(nn.Conv2d(4, 4, 3), nn.ReLU()).eval()
found["channels_last"] = image[0].weight.is_contiguous(memory_format=torch.channels_last)
types = []
small[0].register_forward_hook(lambda m, i, o: types.append(str(o.dtype)))
types.append(str(small(torch.zeros(2, 8)).dtype))
found["types"] = list(types)

import copy
import io

twin = copy.deepcopy(small)
with torch.no_grad():
    twin[0].weight.zero_(), twin[0].bias.zero_()
stored = io.BytesIO()
del types[:]
small[0]._forward_hooks.clear()
torch.save(small, stored)
stored.seek(0)
again = torch.load(stored, weights_only=False)
found["copies"] = [float(twin(torch.ones(1, 8)).abs().sum()), float((again(torch.ones(1, 8)) - small(torch.ones(1, 8))).abs().max()) < 0.05]

data = torch.utils.data
found["pinned"] = [loader.pin_memory for loader in (data.DataLoader([1]), data.DataLoader([1], pin_memory=False), data.DataLoader([1], 1, False, None, None, 0, None, False))]

# Optimizers: generators, groups and names go in as always; what the program chose itself stays.
found["fused"] = [bool(o.defaults.get("fused")) for o in (
    torch.optim.AdamW(small.parameters()),
    torch.optim.Adam([{"params": small.parameters(), "lr": 0.1}]),
    torch.optim.AdamW(small.named_parameters()) if hasattr(torch.optim.Optimizer, "_process_value_according_to_param_policy") and tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 6) else torch.optim.AdamW(small.parameters()),
    torch.optim.AdamW(small.parameters(), foreach=True),
    torch.optim.AdamW(small.parameters(), fused=False),
    torch.optim.Adam(small.parameters(), fused=True),
    torch.optim.SGD(small.parameters(), lr=0.1),
)]
try:
    torch.optim.AdamW([])
    found["empty"] = "taken"
except ValueError as error:
    found["empty"] = str(error)


def train(optimizer):
    torch.manual_seed(1)
    model = nn.Linear(16, 4)
    optimizer = optimizer(model.parameters())
    for _ in range(20):
        optimizer.zero_grad()
        model(torch.ones(3, 16)).square().sum().backward()
        optimizer.step()
    return model.weight.detach().double()


fused, plain = train(lambda p: torch.optim.AdamW(p)), train(lambda p: torch.optim.AdamW(p, fused=False))
found["difference"] = float((fused - plain).abs().max() / plain.abs().max())

# The control file: what can change does, what cannot is told.
def change(text):
    del reports[:]
    with open(control, "w") as file:
        file.write(text)
    os.utime(control, ns=(time.time_ns(), time.time_ns()))
    saturate_tune._control["next"] = 0
    saturate_tune.poll()
    return list(reports)


before = torch.get_float32_matmul_precision()
found["changed"] = change(json.dumps({"bf16-products": False, "flush-denormals": True, "interop-threads": True, "nonsense": 1}))
found["after_change"] = [before, torch.get_float32_matmul_precision(), float(torch.tensor([1e-310], dtype=torch.float64) * 1)]
found["broken_control"] = change("{no JSON")
found["same_again"] = change(json.dumps({"flush-denormals": False}))

# What is said to do nothing: a name that this torch does not have, or a function that is no place for a value.
found["alive"] = []
for knob in saturate_tune.TABLE["dead"]:
    owner, _, name = knob["name"].rpartition(".")
    if owner and not callable(getattr(eval(owner), name, callable)):
        found["alive"].append(knob["name"])

# The program sets some things itself: one of ours, and some that nobody reads.
torch.backends.cuda.enable_flash_sdp(True)
torch.backends.cudnn.workspace_limit = 1 << 30
torch.backends.mkldnn.turbo = True
torch.backends.cuda.allow_tf32 = True
del reports[:]
saturate_tune.finish()
saturate_tune.finish()
found["exit"] = list(reports)

# Now from the inside.
del torch.backends.cudnn.workspace_limit, torch.backends.mkldnn.turbo, torch.backends.cuda.allow_tf32
gc.collect()
lines = []


class Lines(logging.Handler):
    def emit(self, record):
        lines.append(record.levelname + " " + record.getMessage())


logging.getLogger("saturate_tune").addHandler(Lines())
logging.getLogger("saturate_tune").setLevel(logging.INFO)
torch.set_float32_matmul_precision("highest")
begin = time.process_time()
found["inside"] = saturate_tune.apply_platform_optimizations("cpu", optimization_level=1)
found["inside_ms"] = (time.process_time() - begin) * 1000
found["inside_precision"] = torch.get_float32_matmul_precision()
saturate_tune.undo()
found["undone_precision"] = torch.get_float32_matmul_precision()
found["log"], lines[:] = list(lines), []
os.environ.pop("OMP_NUM_THREADS", None)  # ours: what stands there would be taken for the user's
found["by_name"] = saturate_tune.apply(["flush-denormals", "threads", "tf32", "nonsense"], {"threads": 1})
found["read_back"], found["effects"] = saturate_tune.read_back(), saturate_tune.effects()
saturate_tune.undo()
model = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 16)).eval()
found["measured"] = saturate_tune.apply_platform_optimizations("cpu", model=model, optimization_level=2)
saturate_tune.apply_platform_optimizations("cpu", model=small, optimization_level=2)
saturate_tune.apply_platform_optimizations("tpu", optimization_level=0)
saturate_tune.apply_platform_optimizations("cpu", optimization_level="many")
saturate_tune.undo()
found["measured_log"] = lines
json.dump(found, sys.stdout)
