import argparse

from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--accumulation_steps", type=int, default=1)
args = parser.parse_args()


def train(model, loader, optimizer):
    model = DistributedDataParallel(model.cuda())
    for step, x in enumerate(loader):
        model(x).mean().backward()
        if step % args.accumulation_steps == 0:
            optimizer.step()
