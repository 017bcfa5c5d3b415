import logging

import torch
from tqdm import tqdm

logger = logging.getLogger(__name__)


def train(model, loader, optimizer, criterion, device):
    for step, (x, y) in enumerate(loader):
        out = model(x.to(device, non_blocking=True))
        loss = criterion(out, y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss {loss}")  # want SAT302 "loss is printed in every step"
        print("loss", loss)  # want SAT302 "loss is printed"
        print(
            "loss",
            loss,  # want SAT302 "loss is printed"
        )
        logger.info("accuracy %s", (out.argmax(1) == y).float().mean())  # want SAT302 "printed in every step"
        print("loss {:.3f}".format(loss), out.shape)  # want SAT302 "loss is printed"


class Trainer:
    def __init__(self, model):
        self.model = model.cuda()

    def fit(self, loader, optimizer):
        for batch in tqdm(loader):
            loss = self.model(batch).loss
            loss.backward()
            optimizer.step()
            self.report(loss)

    def report(self, loss):
        logger.warning("loss: " + str(loss.detach()))  # want SAT302 "printed in every step"
