"""A loop that somebody watches: everything is printed, logged, profiled and checked in every step."""
# repairs: SAT302 SAT303 SAT308 SAT310 SAT313 SAT314 SAT703
import gc
import os
import sys

import torch
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
torch.autograd.set_detect_anomaly(True)
torch.backends.cudnn.workspace_limit = 1 << 30
device = "cuda" if torch.cuda.is_available() else "cpu"


class Writer:
    def add_scalar(self, name, value, step):
        print(f"{name} {step} {value:.4f}", file=sys.stderr)


def main():
    torch.manual_seed(0)
    loader = DataLoader(TensorDataset(torch.randn(48, 4), torch.randn(48, 1)), batch_size=8)
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    writer = Writer()
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=2)) as prof:
        bar = tqdm(loader, disable=True)
        for step, (x, y) in enumerate(bar):
            loss = (model(x.to(device)) - y.to(device)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            print("norm", f"{torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0):.4f}", loss.shape)
            print(f"loss {loss}", file=sys.stderr)
            bar.set_postfix(loss=loss.item())
            writer.add_scalar("loss", loss, step)
            optimizer.step()
            gc.collect()
            torch.cuda.empty_cache()
    print([f"{w:.4f}" for w in model.weight.flatten().tolist()])


if __name__ == "__main__":
    main()
