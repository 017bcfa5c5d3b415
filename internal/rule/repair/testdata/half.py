"""Half precision with a scaler, in two passes; on a CPU autocast for CUDA does nothing."""
# repairs: SAT402
import torch
from torch.amp import GradScaler, autocast

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
batches = [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(5)]
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = GradScaler("cuda")
for x, y in batches:
    with torch.autocast("cuda", dtype=torch.float16):
        loss = (model(x.to(device)) - y.to(device)).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    with autocast("cuda"):
        size = model(x.to(device)).abs().mean()
    scaler.scale(size).backward()
    scaler.step(optimizer)
    scaler.update()
    print(f"{loss.item():.4f} {size.item():.4f}")
