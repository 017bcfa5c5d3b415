import torch
from torch import nn


class Experiment:
    def __init__(self, args):
        self.args = args
        self.model = nn.Linear(96, 24).cuda()

    def vali(self, data, loader, criterion):
        total = []
        self.model.eval()
        with torch.no_grad():
            for x, y in loader:
                total.append(criterion(self.model(x.cuda()), y.cuda()).item())
        self.model.train()
        return sum(total) / len(total)

    def train(self, train_loader, vali_data, vali_loader, test_data, test_loader, early_stopping):
        optimizer = torch.optim.Adam(self.model.parameters())
        criterion = nn.MSELoss()
        for epoch in range(self.args.epochs):
            for x, y in train_loader:
                loss = criterion(self.model(x.cuda()), y.cuda())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            vali_loss = self.vali(vali_data, vali_loader, criterion)
            test_loss = self.vali(test_data, test_loader, criterion)  # want SAT707 "test_loader is evaluated in every epoch, too"
            print("Epoch: {0} | Vali Loss: {1:.7f} Test Loss: {2:.7f}".format(epoch + 1, vali_loss, test_loss))
            early_stopping(vali_loss, self.model)


def train_epoch(model, loader, optimizer):
    model.train()
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hits = torch.zeros((), device="cuda")
    for x, y in loader:
        hits += (model(x.cuda()).argmax(-1) == y.cuda()).sum()
    return {"acc": hits.item() / len(loader.dataset)}


def main(model, loaders, writer, optimizer):
    best = 0.0
    for epoch in range(100):
        train_epoch(model, loaders.train, optimizer)
        fit = evaluate(model, loaders.seen)  # want SAT707 "loaders.seen is evaluated in every epoch, too"
        val = evaluate(model, loaders.val)
        writer.add_scalar("fit", fit["acc"], epoch)
        if val["acc"] > best:
            best = val["acc"]
            torch.save(model.state_dict(), "best.pt")


def both_decide(model, loaders, optimizer):
    best = 0.0
    for epoch in range(100):
        train_epoch(model, loaders.train, optimizer)
        easy, hard = evaluate(model, loaders.easy), 0
        rare = evaluate(model, loaders.rare)
        if rare["acc"] + easy["acc"] > best:
            best = rare["acc"]
            torch.save(model.state_dict(), "best.pt")


def now_and_then(model, loaders, optimizer):
    best = 0.0
    for epoch in range(100):
        train_epoch(model, loaders.train, optimizer)
        val = evaluate(model, loaders.val)
        if val["acc"] > best:
            best = val["acc"]
            print(evaluate(model, loaders.test))
