"""A progress bar that shows the loss of each step, on a slow terminal."""

from planted import BATCH, Model, Optimizer, Samples, collate, work
from torch.utils.data import DataLoader
from tqdm import tqdm


class Terminal:
    def write(self, text):
        work("logging")

    def flush(self):
        pass


model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)
bar = tqdm(DataLoader(Samples(), batch_size=BATCH, collate_fn=collate), file=Terminal())
for batch in bar:
    loss = model(batch["x"], batch["labels"])["loss"]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    bar.set_postfix(loss=loss)
    work("between")
