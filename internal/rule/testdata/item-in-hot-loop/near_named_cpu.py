import torch

device = "cpu"
net = torch.nn.Linear(4, 2).to(device)
update = torch.optim.Adam(net.parameters())


def play(x):
    x = x.to(device)
    return net(x).square().mean()


total = 0
for x in torch.randn(100, 8, 4):
    loss = play(x)
    update.zero_grad()
    loss.backward()
    update.step()
    total += loss.item()
