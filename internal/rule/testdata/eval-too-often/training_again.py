import torch
from torch.utils.data import DataLoader
from tqdm import tqdm


def fit(model, loader, optimizer):
    for x, y in tqdm(loader):
        loss = torch.nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


@torch.no_grad()
def accuracy(model, data):
    model.eval()
    right = 0
    for x, y in data:
        right += (model(x.cuda(non_blocking=True)).argmax(1) == y.cuda(non_blocking=True)).sum()
    return right


def both(model, seen, unseen):
    return accuracy(model, seen), accuracy(model, unseen)


def main(model, train_set, test_set, optimizer):
    model.cuda()
    train_loader, test_loader = DataLoader(train_set), DataLoader(test_set)
    for epoch in range(100):
        fit(model, train_loader, optimizer)
        accuracy(model, test_loader)
        accuracy(model, train_loader)  # want SAT707 "once more in each epoch"
    for epoch in range(100):
        fit(model, train_loader, optimizer)
        both(model, train_loader, test_loader)  # want SAT707 "once more in each epoch"
    for epoch in range(100):
        for x, y in train_loader:
            loss = model(x.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        accuracy(model, train_loader)  # want SAT707 "once more in each epoch"
    for epoch in range(100):
        fit(model, train_loader, optimizer)
        accuracy(model, test_loader)
        if epoch % 10 == 0:
            accuracy(model, train_loader)  # now and then
    accuracy(model, train_loader)  # at the end
