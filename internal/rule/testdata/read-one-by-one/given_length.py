import torch
from torch import nn


class Decoder:
    def __init__(self, letters):
        self.letters = letters

    def text(self, sequence, size):
        out = ""
        for i in range(size):
            out += self.letters[sequence[i].item()]  # want SAT325 "for each part"
        return out

    def decode(self, scores, sizes):
        _, best = torch.max(scores, 2)
        return [self.text(best[k], sizes[k]) for k in range(len(best))]


def evaluate(model, decoder, loader):
    texts = []
    for x, sizes in loader:
        texts += decoder.decode(model(x.cuda()), sizes)
    return texts


def train(loader, held_out):
    model = nn.Linear(8, 30).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    decoder = Decoder("abc")
    for epoch in range(10):
        for x, sizes in loader:
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            evaluate(model, decoder, held_out)
