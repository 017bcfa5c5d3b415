import torch
from torch import nn


def main(train_loader, val_loader, criterion):
    model = nn.Linear(3, 3).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(3):
        for x, y in train_loader:
            loss = criterion(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        correct = 0
        for x, y in val_loader:
            # the same clips in every epoch
            out = model(x.cuda())  # want SAT512 "never computed"
            correct += (out.argmax(1) == y.cuda()).sum()
        if epoch == 2:
            for crops in val_loader:
                for crop in crops:
                    model(crop.cuda())  # want SAT512 "never computed"
        model.train()
        print(correct)
