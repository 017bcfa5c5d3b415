import torch


def fit(model, loader, optimizer):
    for epoch in range(3):
        total = 0
        for step, (x, y) in enumerate(loader):
            loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total = total + loss  # want SAT507 "graph"
            if step % 100 == 0:
                text = "loss {:.3f}".format(total / (step + 1))
                print(text)


def fit_parts(model, loader, optimizer):
    for x, parts in loader:
        total = 0
        for y in parts:
            loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
            total = total + loss
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
