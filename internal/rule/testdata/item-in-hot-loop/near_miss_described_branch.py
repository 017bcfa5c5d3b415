import torch


class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model.cuda(), optimizer
        self.unit = None

    def keep(self, loss):
        self.unit = loss.item()

    def step(self, batch):
        loss = self.model(batch.cuda(non_blocking=True)).mean()
        loss.backward()
        self.optimizer.step()
        if self.unit is None:
            "the first loss is the unit of the others"
            self.keep(loss)


def main(model, loader):
    trainer = Trainer(model, torch.optim.Adam(model.parameters(), fused=True))
    for batch in loader:
        trainer.step(batch)
