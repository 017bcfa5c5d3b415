import torch
from torch.utils.data import DataLoader


def show(model, loader, examples=2):
    model.eval()
    count = 0
    with torch.no_grad():
        for x in loader:
            count += 1
            print(model(x.cuda()).argmax())
            if count == examples:
                break


def train(model, data, held_out):
    model.cuda()
    loader = DataLoader(data, batch_size=8, num_workers=4, pin_memory=True)
    shown = DataLoader(held_out, batch_size=1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x in loader:
            model.train()
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
        show(model, shown)
