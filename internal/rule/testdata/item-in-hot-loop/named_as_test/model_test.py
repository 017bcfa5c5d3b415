import torch


def test_learns():
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(100):
        loss = model(torch.ones(8, 8, device="cuda")).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        assert loss.item() < 10
