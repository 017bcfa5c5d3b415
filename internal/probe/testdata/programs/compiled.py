"""Compiled code must not notice the probe: no graph is broken or compiled again for it."""

import torch
from planted import STEPS, Model

model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inner = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), model.inner)


def loss_of(x):
    return inner(x.to(torch.float64).to(torch.float32)).square().mean()


compiled = torch.compile(loss_of, backend="aot_eager", fullgraph=True)
for _ in range(STEPS):
    optimizer.zero_grad()
    compiled(torch.ones(4, 8)).backward()
    optimizer.step()
counters = torch._dynamo.utils.counters
print("graphs %d breaks %d" % (counters["stats"]["unique_graphs"], len(counters["graph_break"])))
