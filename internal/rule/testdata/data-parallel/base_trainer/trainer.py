from base import BaseTrainer


class Trainer(BaseTrainer):
    def __init__(self, model, optimizer, loader):
        super().__init__(model, optimizer)
        self.loader = loader

    def train_epoch(self):
        for x in self.loader:
            loss = self.model(x.cuda(non_blocking=True)).mean()
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
