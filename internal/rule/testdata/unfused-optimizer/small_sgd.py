import torch
from torchvision.models import resnet18


def build(net, rate):
    return torch.optim.SGD(net.parameters(), lr=rate, momentum=0.9)  # want SAT406 "not fused; an update by SGD"


def run(batches):
    net = resnet18().cuda()
    update = build(net, 0.1)
    for x, y in batches:
        loss = torch.nn.functional.cross_entropy(net(x.cuda()), y.cuda())
        loss.backward()
        update.step()
        update.zero_grad()
