"""What a step gives a function is a tensor there too; a number is none."""
import torch


def spectrogram(y, size: int, top_k):
    if torch.max(y) > 1.0:  # want SAT305 "waits for the GPU"
        print("too loud")
    if size > 4 and top_k > 0:
        return y[:, :size]
    return y


class Trainer:
    def __init__(self, model):
        self.model = model.cuda()
        self.loss_top_k = 4
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)

    def train(self, loader):
        for x in loader:
            made = self.model(x.cuda(non_blocking=True))
            loss = spectrogram(made, x.shape[1], self.loss_top_k).mean()
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
