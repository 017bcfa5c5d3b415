import torch

model = torch.nn.Linear(1024, 1024).cuda()


def newest(params):
    try:
        return torch.optim.AdamW(params, lr=1e-3, fused=True)
    except TypeError:
        pass
    return torch.optim.AdamW(params, lr=1e-3)  # only where torch knows no other


def train(loader):
    optimizer = newest(model.parameters())
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(torch.utils.data.DataLoader(data, batch_size=256, num_workers=4, pin_memory=True))
