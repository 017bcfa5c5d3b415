import weakref

import torch
from torch import nn


class Shadow:
    def __init__(self, net, decay=0.999):
        kept, references = [], []
        for name, w in net.named_parameters():
            kept.append((name, w.detach().clone()))
            references.append((name, weakref.ref(w)))
        self.decay = decay
        self.kept = dict(kept)
        self.references = dict(references)
        self.sizes = {"a": 1.0}

    def update(self):
        for name, reference in self.references.items():  # want SAT320 "the average of the weights"
            self.kept[name] += (1 - self.decay) * (reference().data - self.kept[name])
        for name, size in self.sizes.items():
            self.sizes[name] += 0.5 * size


def train(net, loader):
    net.cuda()
    shadow = Shadow(net)
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        shadow.update()
