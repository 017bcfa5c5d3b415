import torch
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


class Worker:
    def __init__(self, net, samples, where):
        self.w = where
        self.n = DistributedDataParallel(net.to(where), device_ids=[where])
        self.s = samples
        self.o = torch.optim.Adam(self.n.parameters())

    def turn(self):
        for a, b in self.s:
            a = a.to(self.w)  # want SAT311 "waits for the copy"
            b = b.to(self.w)
            self.o.zero_grad()
            nn.functional.cross_entropy(self.n(a), b).backward()
            self.o.step()


def main(r, images):
    torch.cuda.set_device(r)
    net = nn.Sequential(nn.Conv2d(3, 512, 3), nn.Flatten(), nn.LazyLinear(10))
    worker = Worker(net, DataLoader(images, batch_size=256, num_workers=8), r)
    for i in range(90):
        worker.turn()


if __name__ == "__main__":
    torch.multiprocessing.spawn(main, (torch.load("images.pt"),), nprocs=8)
