import torch
import tyro
from dataclasses import dataclass
from torch.utils.data import DataLoader


@dataclass
class Args:
    debug: bool = False
    check: bool = True


def main(args: Args):
    if args.debug:
        torch.autograd.set_detect_anomaly(True)
    if args.check:
        torch.autograd.set_detect_anomaly(True)  # want SAT313 "every gradient is checked"
    model = torch.nn.Linear(4, 1).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for x in DataLoader([torch.ones(4)] * 64, batch_size=32):
        loss = model(x.to("cuda")).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main(tyro.cli(Args))
