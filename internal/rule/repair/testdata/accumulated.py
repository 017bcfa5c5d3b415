"""Float32 throughout, over gradients that are gathered and clipped: the repair for GPUs before Ampere."""
# repairs: SAT401/2
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
batches = [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(6)]
model = torch.nn.Sequential(torch.nn.Linear(4, 1024), torch.nn.Linear(1024, 1024), torch.nn.Linear(1024, 1)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(2):
    for step, (x, y) in enumerate(batches):
        loss = (model(x.to(device)) - y.to(device)).pow(2).mean()
        loss = loss / 2
        loss.backward()
        if step % 2 == 1:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            optimizer.zero_grad()
    print(epoch, f"{loss:.4f}")
