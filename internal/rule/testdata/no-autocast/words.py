# fp16 and autocast would be nice here; torch.bfloat16 too.
import torch


def train(model, loader, optimizer, use_amp_later=None):
    """Mixed precision (GradScaler, apex) is not done yet."""
    model = model.cuda()
    bf16_note = "precision=16"
    for x in loader:
        loss = model(x).mean()  # want SAT401 "float32"
        loss.backward()
        optimizer.step()
    print(bf16_note)
