import torch

model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def parts_of(y):
    return {"total": y.sum(), "mean": y.mean()}


def train(loader):
    whole = kept = 0
    for x in loader:
        losses = parts_of(model(x.cuda()))
        optimizer.zero_grad()
        losses["total"].backward()
        optimizer.step()
        kept += losses["total"]  # want SAT507 "with their graph"
        for key, value in losses.items():
            losses[key] = value.item()
        whole += losses["total"]  # a number by now
    return whole, kept


train(torch.utils.data.DataLoader(data, batch_size=8))
