import numpy as np
import torch


class Shelf:
    def __init__(self, path, device="cuda"):
        self.data, self.device = np.memmap(path, np.uint16, "r"), device

    def take(self, n, room):
        at = torch.randint(len(self.data) - room, (n,)).tolist()
        x = torch.stack([torch.from_numpy(self.data[i : i + room].astype(np.int64)) for i in at])
        y = torch.stack([torch.from_numpy(self.data[i + 1 : i + 1 + room].astype(np.int64)) for i in at])
        return x.to(self.device), y.to(self.device)  # want SAT311 "pageable memory"

    def take_pinned(self, n, room):
        at = torch.randint(len(self.data) - room, (n,)).tolist()
        x = torch.stack([torch.from_numpy(self.data[i : i + room].astype(np.int64)) for i in at])
        return x.pin_memory().to(self.device, non_blocking=True)


def main(net, path):
    net, shelf = net.to("cuda"), Shelf(path)
    opt = torch.optim.AdamW(net.parameters())
    for _ in range(1000):
        x, y = shelf.take(8, 1024)
        z = shelf.take_pinned(8, 1024)
        net(x, y, z).backward()
        opt.step()
