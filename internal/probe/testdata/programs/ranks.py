"""Two ranks of DistributedDataParallel over gloo, started by torchrun."""

import torch.distributed as dist
from planted import BATCH, STEPS, Model, Optimizer, Samples, collate, work
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

dist.init_process_group("gloo")
model = DistributedDataParallel(Model())
optimizer = Optimizer(model.parameters(), lr=0.01)
data = Samples(2 * STEPS)
for batch in DataLoader(data, batch_size=BATCH, sampler=DistributedSampler(data), collate_fn=collate):
    loss = model(batch["x"], batch["labels"])["loss"]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    work("between")
dist.destroy_process_group()
