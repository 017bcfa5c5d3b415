import numpy as np
import torch
from torch import nn


def to_array(tensor):
    return tensor.detach().cpu().numpy()  # want SAT325 "waits for the GPU after each batch, beside the training steps"


@torch.no_grad()
def evaluate(model, loader):
    total, guesses = 0.0, []
    for x, y in loader:
        scores = model(x.cuda())
        total += nn.functional.cross_entropy(scores, y.cuda()).item()  # want SAT325 "after each batch, beside the training steps; evaluation is a small part of most trainings"
        guesses.append(scores.argmax(1).cpu())
    return total, torch.cat(guesses)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def eval(self, x, y):
        self.model.eval()
        with torch.no_grad():
            return nn.functional.mse_loss(self.model(x), y).item()  # want SAT325 "after each batch, beside the training steps"


def train(loader, held_out, others):
    model = nn.Linear(64, 30).cuda()
    trainer = Trainer(model)
    optimizer = trainer.optimizer
    for epoch in range(10):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        model.eval()
        kept = []
        with torch.no_grad():
            for x, y in held_out:
                kept.append(model(x.cuda()).argmax(-1).cpu().numpy())  # want SAT325 "after each batch, beside the training steps"
                kept.append(to_array(model(x.cuda())))
        print(np.concatenate(kept), evaluate(model, held_out))
        for x, y in others:
            print(trainer.eval(x.cuda(), y.cuda()))
        model.train()
