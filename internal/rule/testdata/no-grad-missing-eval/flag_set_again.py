import torch


def run(model, optimizer, loader, kind, backprop=True):
    total = 0
    for x in loader:
        if kind == "gnn":
            out = model(x.cuda())
        elif kind == "baseline":
            backprop = False
            out = model(x.cuda(), 1)
        loss = out.mean()
        if backprop:
            loss.backward()
            optimizer.step()
        total += loss
    return total


def main(model, optimizer, loader, held_out, kind):
    model.cuda()
    for epoch in range(10):
        run(model, optimizer, loader, kind)
        run(model, optimizer, held_out, kind, backprop=False)  # want SAT512 "never computed"
