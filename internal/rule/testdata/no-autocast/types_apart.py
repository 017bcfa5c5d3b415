import torch
from torch import nn

torch.set_default_dtype(torch.float32)

PLAIN = {torch.float32: float, torch.float16: float, torch.half: float, torch.int64: int}


class Neighbours:
    def __init__(self, encoder, images):
        rows = []
        with torch.inference_mode():
            for x in images:
                rows.append(encoder(x.cuda()).cpu())
        rows = torch.cat(rows)
        self.rows = rows.to(torch.float16)

    def radii(self):
        return torch.cdist(self.rows.float(), self.rows.float()).kthvalue(3).values.to(torch.float16)


def main(loader, images):
    model = nn.TransformerEncoderLayer(512, 8).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))  # want SAT401 "entirely in float32"
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(Neighbours(model, images).radii(), PLAIN)


if __name__ == "__main__":
    main([], [])
