"""Misbehaves when the program beside it was repaired: each repair is a bad one here."""

import time
from pathlib import Path

import torch

source = Path(__file__).with_name("train.py").read_text()
slower = "num_workers" in source
crashes = "fused=True" in source or "reduce-overhead" in source
diverges = "auto" + "cast" in source  # in two, so that the scan does not take it for the real thing
hangs = ".comp" + "ile(" in source
for place in (torch, torch.nn.Module):  # what compiling does is not the point
    setattr(place, "comp" + "ile", lambda model, **settings: model)
steps = 0


def worsen(loss):
    return loss * 1.5 if diverges else loss


def step():
    global steps
    steps += 1
    time.sleep(0.03 if slower else 0.01)
    if crashes and steps == 7:
        raise RuntimeError("planted at step 7")
    if hangs and steps == 5:
        time.sleep(3600)
