"""An Accelerate loop with gradient accumulation."""

from accelerate import Accelerator
from planted import BATCH, STEPS, Model, Optimizer, Samples, collate, work
from torch.utils.data import DataLoader

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = Model()
model, optimizer, loader = accelerator.prepare(
    model,
    Optimizer(model.parameters(), lr=0.01),
    DataLoader(Samples(2 * STEPS), batch_size=BATCH, collate_fn=collate),
)
for batch in loader:
    with accelerator.accumulate(model):
        loss = model(batch["x"], batch["labels"])["loss"]
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if accelerator.sync_gradients:
            work("between")
