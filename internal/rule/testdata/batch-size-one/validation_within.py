import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


def train(model, heard, held_back, rank):
    model.to(rank)
    update = torch.optim.AdamW(model.parameters(), fused=True)
    batches = DataLoader(heard, batch_size=32, num_workers=4, pin_memory=True)
    others = DataLoader(held_back, batch_size=1, num_workers=4, pin_memory=True)  # only looked at, every 1000 steps
    step = 0
    for epoch in range(20):
        model.train()
        for waves, codes in batches:
            step += 1
            loss = F.cross_entropy(model(waves.to(rank)), codes.to(rank))
            loss.backward()
            update.step()
            update.zero_grad()
            if step % 1000 == 0:
                model.eval()
                total = 0.0
                for waves, codes in others:
                    with torch.no_grad():
                        out = model(waves.to(rank))
                    total += F.cross_entropy(out, codes.to(rank)).item()
                print(step, total)
                model.train()
