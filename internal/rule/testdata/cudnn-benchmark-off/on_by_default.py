import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--deterministic", type=int, default=1)
args = parser.parse_args()

if __name__ == "__main__":
    if not args.deterministic:
        torch.backends.cudnn.benchmark = True
    else:
        torch.backends.cudnn.deterministic = True  # want SAT413 "cuDNN is restricted to"
    model = nn.Conv1d(80, 80, 3).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in range(100):
        loss = model(torch.rand(8, 80, 100, device="cuda")).mean()
        loss.backward()
        optimizer.step()
