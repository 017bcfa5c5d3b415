import torch
import torch.nn.functional as F
from torchvision import models


DEVICE = torch.device("cuda")


def distil(model, loader, optimizer, device=DEVICE):
    model.to(device)
    teacher = models.resnet152(weights="DEFAULT")
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        model.to(device)  # want SAT311 "goes over all weights in every step"
        teacher.to(device)  # want SAT311 "goes over all weights in every step"
        with torch.no_grad():
            soft = teacher(x)
        teacher.cpu()
        loss = F.cross_entropy(model(x), y) + F.mse_loss(model(x), soft)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def saved(model, loader, optimizer, device):
    model.to(device)
    for epoch in range(10):
        for x, y in loader:
            loss = F.cross_entropy(model(x.to(device, non_blocking=True)), y.to(device, non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        torch.save(model.cpu().state_dict(), f"{epoch}.pt")
        model.to(device)


def saved_each_step(model, loader, optimizer, device):
    model.to(device)
    for x, y in loader:
        loss = F.cross_entropy(model(x.to(device, non_blocking=True)), y.to(device, non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        weights = model.cpu().state_dict()  # want SAT311 "copies all weights to the host in every step"
        torch.save(weights, "last.pt")
        model.to(device)
