import torch


def pairs(nodes, batch, device):
    rows, cols = [], []
    for b in range(batch):  # want SAT319 "number by number"
        for i in range(nodes):
            for j in range(nodes):
                rows.append(i + b * nodes)
                cols.append(j + b * nodes)
    return [torch.LongTensor(rows).to(device), torch.LongTensor(cols).to(device)]


def lengths(texts):
    counts = []
    for text in texts:  # one for each sample
        counts.append(len(text))
    return torch.tensor(counts)


def train(model, optimizer, loader):
    model.cuda()
    once = []
    for i in range(8):
        for j in range(8):
            once.append(i * j)
    table = torch.tensor(once).cuda()
    for x, texts in loader:
        x = x.cuda(non_blocking=True)
        loss = model(x, pairs(x.shape[1], x.shape[0], x.device), lengths(texts), table).mean()
        loss.backward()
        optimizer.step()
