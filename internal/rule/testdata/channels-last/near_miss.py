import torch
import torchvision


def train(loader, optimizer, criterion):
    model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
