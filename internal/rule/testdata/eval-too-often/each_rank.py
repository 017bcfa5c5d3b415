import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision.datasets import CIFAR10
from torchvision.models import resnet18
from torchvision.transforms import ToTensor


def score(model, loader, rank):
    model.eval()
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x.to(rank)).argmax(1) == y.to(rank)).sum()
    return right.item()


def score_on_first(model, loader, rank):
    if rank != 0:
        return None
    return score(model, loader, rank)


def work(rank, world):
    dist.init_process_group("nccl", rank=rank, world_size=world)
    model = DistributedDataParallel(resnet18().to(rank))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data, held_out = CIFAR10(".", transform=ToTensor()), CIFAR10(".", train=False, transform=ToTensor())
    sampler = DistributedSampler(data)
    train = DataLoader(data, batch_size=256, sampler=sampler, num_workers=8, pin_memory=True)
    whole = DataLoader(held_out, batch_size=256, num_workers=8, pin_memory=True)  # want SAT707 "every process evaluates the whole"
    first = DataLoader(held_out, batch_size=256, num_workers=8, pin_memory=True)
    alone = DataLoader(held_out, batch_size=256, num_workers=8, pin_memory=True)
    part = DataLoader(held_out, batch_size=256, sampler=DistributedSampler(held_out, shuffle=False), num_workers=8, pin_memory=True)
    for epoch in range(100):
        sampler.set_epoch(epoch)
        model.train()
        for x, y in train:
            loss = F.cross_entropy(model(x.to(rank, non_blocking=True)), y.to(rank, non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(score(model, whole, rank), score(model, part, rank))
        score_on_first(model, first, rank)
        if rank == 0:
            print(score(model, alone, rank))


def work_or_alone(rank, world):
    model = DistributedDataParallel(resnet18().to(rank)) if world > 1 else resnet18().to(rank)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    data, held_out = CIFAR10(".", transform=ToTensor()), CIFAR10(".", train=False, transform=ToTensor())
    if world > 1:
        train = DataLoader(data, batch_size=256, sampler=DistributedSampler(data), num_workers=8, pin_memory=True)
        checked = DataLoader(held_out, batch_size=256, sampler=DistributedSampler(held_out), num_workers=8, pin_memory=True)
    else:
        train = DataLoader(data, batch_size=256, shuffle=True, num_workers=8, pin_memory=True)
        checked = DataLoader(held_out, batch_size=256, num_workers=8, pin_memory=True)
    for _ in range(100):
        for x, y in train:
            loss = F.cross_entropy(model(x.to(rank, non_blocking=True)), y.to(rank, non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(score(model, checked, rank))


if __name__ == "__main__":
    mp.spawn(work, (8,), 8)
    mp.spawn(work_or_alone, (8,), 8)
