import torch

from parts import Net


def main(loader):
    model = Net().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()  # want SAT401 "trained entirely in float32$"
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main([])
