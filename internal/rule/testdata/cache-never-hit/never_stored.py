import torch

tables = {}
kept = {}


def edges(nodes, batch, device):
    if nodes in tables:
        of_nodes = tables[nodes]
        if batch in of_nodes:  # want SAT129 "nothing is stored in tables"
            return of_nodes[batch]
        rows = torch.arange(nodes * batch, device=device)
    else:
        tables[nodes] = {}
        return edges(nodes, batch, device)
    return rows


def stored(nodes, device):
    if nodes in kept:
        return kept[nodes]
    rows = torch.arange(nodes, device=device)
    kept[nodes] = rows
    return rows


def train(model, optimizer, loader):
    model.cuda()
    for x in loader:
        x = x.cuda()
        loss = model(x, edges(x.shape[1], x.shape[0], x.device), stored(x.shape[1], x.device)).mean()
        loss.backward()
        optimizer.step()
