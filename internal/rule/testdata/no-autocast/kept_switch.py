import torch


class Learner:
    def __init__(self, model, loader, optimizer, **kwargs):
        self.model, self.loader, self.optimizer = model, loader, optimizer
        self.autocast = torch.cuda.amp.autocast(enabled=kwargs.get("fp16", False))
        self.scaler = torch.cuda.amp.GradScaler(enabled=kwargs.get("fp16", False))

    def train(self):
        for x, y in self.loader:
            with self.autocast:
                loss = torch.nn.functional.mse_loss(self.model(x.cuda()), y.cuda())  # want SAT401 "switched off"
            self.optimizer.zero_grad()
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()


def main(loader):
    model = torch.nn.Linear(4096, 4096).cuda()
    Learner(model, loader, torch.optim.SGD(model.parameters(), lr=0.1), fp16=False).train()
