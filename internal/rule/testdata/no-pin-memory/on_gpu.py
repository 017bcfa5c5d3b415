import torch
from torch.utils.data import DataLoader, TensorDataset


def collate(samples):
    place = "cuda:0"
    mask = torch.ones((len(samples), 128, 128), device=place)
    return {"x": torch.tensor(samples), "mask": mask.tril_()}


class Regression:
    def __init__(self, model):
        self.model, self.device = model, torch.device("cuda")

    def fit(self, x, y, optimizer):
        x = torch.from_numpy(x).to(self.device)
        y = torch.from_numpy(y).to(self.device)
        loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)  # it is on the GPU as a whole
        for x, y in loader:
            optimizer.zero_grad()
            (self.model(x) - y).square().mean().backward()
            optimizer.step()


def main(samples, model, optimizer):
    for batch in DataLoader(samples, batch_size=4, collate_fn=collate):  # tensors of the GPU cannot be pinned
        optimizer.zero_grad()
        model(batch["x"].cuda(), batch["mask"]).mean().backward()
        optimizer.step()
