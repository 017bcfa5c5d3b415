import torch

import layers
from text import clean


def main(lines):
    net = layers.Encoder().cuda()
    update = torch.optim.AdamW(net.parameters(), fused=True)
    for line in lines:
        x = torch.tensor([float(ord(c)) for c in clean(line, ["lower"])], device="cuda").view(-1, 8)
        loss = net(x).mean()
        loss.backward()
        update.step()


if __name__ == "__main__":
    main(open("lines.txt"))
