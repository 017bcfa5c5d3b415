import argparse
import os

import lightning.pytorch as pl
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--debug", action="store_true")
parser.add_argument("--anomaly", action="store_true")
args = parser.parse_args()

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
os.environ["CUDA_LAUNCH_BLOCKING"] = "0"
torch.autograd.set_detect_anomaly(False)
torch.autograd.set_detect_anomaly(args.anomaly)
if args.debug:
    torch.autograd.set_detect_anomaly(True)
    os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
trainer = pl.Trainer(max_epochs=3, detect_anomaly=args.anomaly, profiler="simple")


def enable_full_determinism():
    os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
    torch.use_deterministic_algorithms(True)
