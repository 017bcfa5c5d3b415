import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = [torch.randn(8, 4) for _ in range(4)]
for x in data:
	loss = model(x).mean()
	loss.backward()
	optimizer.step()
	optimizer.zero_grad()
