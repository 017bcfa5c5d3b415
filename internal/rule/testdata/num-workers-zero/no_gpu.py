from torch.utils.data import DataLoader


def train(model, data, optimizer):
    for x in DataLoader(data):
        model(x).sum().backward()
        optimizer.step()
