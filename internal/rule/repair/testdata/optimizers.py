"""Gradients that are kept as zeros, losses that keep their graph, tensors that are updated one by one."""
# repairs: only SAT407 SAT412 SAT506 SAT507
import torch
from torch.nn.utils import clip_grad_norm_

FOREACH = False
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.0), torch.nn.Linear(8, 1)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, foreach=False)
other = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9, foreach=FOREACH)
batches = [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(5)]
total = 0.0
losses = []
for epoch in range(3):
    compiled = torch.compile(model, backend="eager")
    for x, y in batches:
        loss = (compiled(x.to(device)) - y.to(device)).pow(2).mean()
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        clip_grad_norm_(model.parameters(), 1.0, foreach=False)
        optimizer.step()
        other.step()
        total += loss
        losses.append(loss)
    print(epoch, f"{total / len(losses):.4f}", f"{max(float(v) for v in losses):.4f}")
print(f"{sum(p.sum() for p in model.parameters()):.4f}", list(compiled.state_dict()))
