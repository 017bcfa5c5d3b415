import argparse

import torch
from torch import nn


def train(opt, loader):
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(1024, 16), 24).cuda()
    if opt.adam:
        optimizer = torch.optim.Adam(model.parameters())  # want SAT406 "not fused; the program's defaults choose another"
    else:
        optimizer = torch.optim.Adadelta(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--adam", action="store_true")
    opt = parser.parse_args()
    train(opt, [])
