import torch
from reward.judge import Judge


def main():
    model = torch.nn.Linear(8, 8).cuda()
    judge = Judge()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(1000):
        loss = judge(model(torch.rand(64, 8, device="cuda"))).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
