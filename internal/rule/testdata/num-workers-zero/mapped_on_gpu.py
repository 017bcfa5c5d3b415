import torch
from datasets import load_dataset
from PIL import Image
from torch.utils.data import DataLoader


def main(model, encoder, optimizer, device):
    def embed(rows):  # once, before training
        return {"embeds": encoder(torch.tensor(rows["ids"]).to(device)).cpu()}

    data = load_dataset("pictures")["train"].map(embed, batched=True)
    loader = DataLoader(data, shuffle=True, batch_size=8)  # want SAT201 "in the training process"
    for batch in loader:
        loss = model(batch["embeds"].cuda()).mean()
        loss.backward()
        optimizer.step()
