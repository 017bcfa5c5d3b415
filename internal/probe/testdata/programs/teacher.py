"""A student that learns from a teacher without gradients, over an evaluation after every fourth step, and then without a loader."""

import torch
from planted import BATCH, STEPS, Model, Optimizer, Samples, collate
from torch.utils.data import DataLoader

student, teacher = Model(), Model()
optimizer = Optimizer(student.parameters(), lr=0.01)
training = DataLoader(Samples(STEPS), batch_size=BATCH, collate_fn=collate)
validation = DataLoader(Samples(5), batch_size=2 * BATCH, collate_fn=collate)


def train(x):
    with torch.no_grad():
        target = teacher(x)
    torch.nn.functional.mse_loss(student(x), target).backward()
    optimizer.step()
    optimizer.zero_grad()


for i, batch in enumerate(training):
    train(batch["x"])
    if i % 4 == 3:
        for batch in validation:
            with torch.no_grad():
                y = student(batch["x"])
            torch.nn.MSELoss()(y, batch["labels"]).item()
for _ in range(STEPS):
    train(torch.ones(BATCH, 8))
