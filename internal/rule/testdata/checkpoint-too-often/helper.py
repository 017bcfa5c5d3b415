import torch


class Engine:
    def __init__(self, model, optimizer):
        self.model, self.optimizer, self.step = model.cuda(), optimizer, 0

    def fit(self, loader):
        for x in loader:
            loss = self.model(x.cuda()).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.step += 1
            self.keep()
            if self.step % 5000 == 0:
                self.keep_whole()

    def keep(self):
        torch.save(self.model.state_dict(), "last.pt")  # want SAT708 "writes a checkpoint in every step"

    def keep_whole(self):
        torch.save(self.model, f"{self.step}.pt")
