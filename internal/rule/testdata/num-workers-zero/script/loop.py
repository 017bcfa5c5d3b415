import torch


def fit(train_loader, val_loader):
    model = torch.nn.Linear(3, 3).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    for clip in train_loader:
        model(clip.cuda(non_blocking=True)).mean().backward()
        optimizer.step()
