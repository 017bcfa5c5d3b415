import matplotlib.pyplot as plt
import torch
from torch.utils.data import DataLoader

import parts


def draw(values):
    plt.xlabel("Decoder timestep")
    plt.title("of the Decoder")
    plt.plot(values)


def main(data):
    encoder, head = parts.Encoder().cuda(), torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    for x in DataLoader(data, batch_size=64, pin_memory=True):
        loss = head(encoder(x.cuda(non_blocking=True))).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    draw([1, 2])


if __name__ == "__main__":
    main(torch.load("data.pt"))
