import torch
import yaml


def main(loader, build):
    config = yaml.safe_load(open("config.yaml"))
    model = build(config).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x)
        loss.backward()
        optimizer.step()
