import torch
from torch.utils.data import DataLoader

from clips import Clips
from config import get_config


def main(config):
    model = torch.nn.Linear(8, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Clips(), batch_size=8, num_workers=config.DATA.NUM_WORKERS, pin_memory=config.DATA.PIN_MEMORY)  # want SAT202 "every epoch"
    for epoch in range(60):
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main(get_config())
