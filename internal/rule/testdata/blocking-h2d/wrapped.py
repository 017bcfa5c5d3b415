import torch
from torch.autograd import Variable
from torch.utils.data import DataLoader


def train(model, loader, optimizer):
    for images, labels in loader:
        images = Variable(images, requires_grad=True).cuda()  # want SAT311 "waits for the copy and for the previous step"
        labels = Variable(labels).cuda()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


model = torch.nn.Conv2d(3, 8, 3).cuda()
loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)
train(model, loader, torch.optim.SGD(model.parameters(), lr=0.1))
