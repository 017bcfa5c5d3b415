import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms import Compose, RandomResizedCrop, ToTensor


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 64, 7, 4), nn.ReLU(), nn.Conv2d(64, 256, 3, 2))

    def forward(self, x):
        return self.layers(x).mean((2, 3))


def optimizer_for(head):
    return torch.optim.SGD(head.parameters(), 0.1)


def probe(loader, backbone, head, optimizer):
    backbone.eval()
    head.train()
    for images, target in loader:
        images, target = images.cuda(non_blocking=True), target.cuda(non_blocking=True)
        with torch.no_grad():
            features = backbone(images)  # want SAT318 "a frozen model runs on each sample in every epoch: backbone"
        loss = F.cross_entropy(head(features), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def averaged(loader, student, teacher, optimizer):
    teacher.eval()
    for images, _ in loader:
        images = images.cuda(non_blocking=True)
        with torch.no_grad():
            wanted = teacher(images)  # whose weights follow the student's
        loss = F.mse_loss(student(images), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(teacher.parameters(), student.parameters()):
                slow.lerp_(fast, 0.01)


def main():
    backbone, head = Backbone().cuda(), nn.Linear(256, 10).cuda()
    student, teacher = Backbone().cuda(), Backbone().cuda()
    data = ImageFolder("train", Compose([RandomResizedCrop(224), ToTensor()]))
    loader = DataLoader(data, batch_size=256, shuffle=True, num_workers=8, pin_memory=True)
    optimizer = optimizer_for(head)
    other = optimizer_for(student)
    for _ in range(100):
        probe(loader, backbone, head, optimizer)
        averaged(loader, student, teacher, other)


main()
