import torch
import torch.nn.functional as F


def masked_loss(score, target):
    n, c, h, w = score.size()
    log_p = F.log_softmax(score, dim=1).permute(0, 2, 3, 1)
    log_p = log_p[target.view(n, h, w, 1).repeat(1, 1, 1, c) >= 0]  # want SAT306 "depends on GPU values"
    return -log_p.mean()


class Trainer:
    def __init__(self, model, optimizer, loader):  # the model's device is not known
        self.model, self.optimizer, self.loader = model, optimizer, loader

    def train(self):
        for data, target in self.loader:
            score = self.model(data)
            loss = masked_loss(score, target.cuda())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
