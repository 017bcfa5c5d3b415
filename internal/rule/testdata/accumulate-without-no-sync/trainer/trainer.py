class Trainer:
    def __init__(self, model, optimizer, loader):
        self.model, self.optimizer, self.loader = model, optimizer, loader

    def train(self):
        for i, x in enumerate(self.loader):
            loss = self.model(x.cuda(non_blocking=True)).mean() / 4
            loss.backward()  # want SAT602 "synchronized in every step"
            if (i + 1) % 4 == 0:
                self.optimizer.step()
                self.optimizer.zero_grad()
