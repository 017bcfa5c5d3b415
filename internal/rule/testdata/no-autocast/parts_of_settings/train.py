import torch
from aligner import load_aligner
from torch import nn


def train(loader):
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(512, 8), 6).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    aligner = load_aligner("aligner.yml")
    for x, y in loader:
        out = model(x.cuda())  # want SAT401 "trained entirely in float32"
        loss = nn.functional.mse_loss(out, aligner(y.cuda()))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
