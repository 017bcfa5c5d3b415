import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter
from torchvision.datasets import CIFAR10
from torchvision.models import resnet18
from torchvision.transforms import ToTensor


def draw(x):
    figure, axes = plt.subplots()
    axes.imshow(x)
    return figure


def train(rank):
    model = resnet18().cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    loader = DataLoader(CIFAR10(".", transform=ToTensor()), batch_size=256, num_workers=8, pin_memory=True)
    held_out = DataLoader(CIFAR10(".", train=False, transform=ToTensor()), batch_size=256, num_workers=8, pin_memory=True)
    writer = SummaryWriter()
    step = 0
    for _ in range(100):
        for x, y in loader:
            model.train()
            loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 1000 == 0:
                model.eval()
                for i, (x, y) in enumerate(held_out):
                    with torch.no_grad():
                        out = model(x.cuda(non_blocking=True))
                    if rank == 0:
                        writer.add_figure(f"out/{i}", draw(out[:16].cpu().numpy()), step)  # want SAT310 "every batch of the validation set"
                    if i < 4:
                        writer.add_figure(f"in/{i}", draw(x[0, 0].numpy()), step)


train(0)
