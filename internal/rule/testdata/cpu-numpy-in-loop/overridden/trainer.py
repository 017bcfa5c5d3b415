class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def train(self, loader):
        return [self.train_step(x.cuda()) for x in loader]

    def fit(self, loader):
        for x in loader:
            print(self.train_step(x.cuda()))

    def train_step(self, x):  # the only class that is made has its own
        loss = self.model(x).mean()
        loss.backward()
        self.optimizer.step()
        return loss.detach().cpu().numpy()


class Careful(Trainer):
    def train_step(self, x):
        loss = self.model(x).mean()
        loss.backward()
        self.optimizer.step()
        return loss.detach().cpu().numpy()  # want SAT304 "copies to the host"
