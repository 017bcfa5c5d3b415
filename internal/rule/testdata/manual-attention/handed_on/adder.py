import torch
from model import SelfAttention
from trainer import Trainer


@torch.no_grad()
def look(model, batch):
    return model(*batch)


if __name__ == "__main__":
    model = SelfAttention(config)
    trainer = Trainer(model, torch.optim.SGD(model.parameters(), 0.1), loader)
    trainer.run()
    look(model, loader[0])
