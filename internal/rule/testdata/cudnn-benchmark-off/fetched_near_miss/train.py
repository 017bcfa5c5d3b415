import argparse

import torch
import torch.nn.functional as F
from nets import get_network
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", action="store_true")
parser.add_argument("--batch-size", type=int, default=None)
args = parser.parse_args()
if args.batch_size is None:
    args.batch_size = 64


def pad(samples):
    xs, ys = zip(*samples)
    return torch.nn.utils.rnn.pad_sequence(xs), torch.stack(ys)


def main(data):
    net = get_network(args)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    kwargs = {"num_workers": 4, "pin_memory": True, "collate_fn": pad}
    loader = DataLoader(data, batch_size=args.batch_size, shuffle=True, **kwargs)
    for x, y in loader:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        loss = F.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main(torch.load("data.pt"))
