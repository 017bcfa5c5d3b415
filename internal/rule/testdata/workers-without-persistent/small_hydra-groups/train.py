import hydra
import torch
from torch import nn
from torch.utils.data import DataLoader

from samples import Samples


@hydra.main(config_path="config/train.yaml")
def train(cfg):
    model = nn.Linear(3, 3).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    loader = DataLoader(Samples(), shuffle=True, num_workers=cfg.training.n_workers, pin_memory=True)  # want SAT202 "restarted"
    for epoch in range(cfg.training.n_epochs):
        for x in loader:
            loss = model(x.cuda(non_blocking=True)).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    train()
