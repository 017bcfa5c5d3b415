"""A graph that is kept for a second backward pass, which there is not."""
# repairs: SAT514
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
batches = [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(5)]
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in batches:
    loss = (model(x.to(device)) - y.to(device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    print(f"{loss.item():.4f}")
