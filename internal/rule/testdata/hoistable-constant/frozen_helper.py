import itertools

import torch
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModelForSequenceClassification


class Tweets(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return {"ids": torch.tensor(self.rows[i])}


def run(net, batch):
    return net(input_ids=batch["ids"]).logits


def distill(rows, student, optimizer):
    loader = DataLoader(Tweets(rows), batch_size=32, num_workers=4)
    teacher = AutoModelForSequenceClassification.from_pretrained("teacher").cuda().eval().requires_grad_(False)
    for batch in loader:
        batch = {k: v.cuda() for k, v in batch.items()}
        with torch.no_grad():
            wanted = run(teacher, batch)  # want SAT318 "a frozen model computes the same"
        torch.nn.functional.mse_loss(run(student, batch), wanted).backward()
        optimizer.step()


def distill_for_long(rows, student, optimizer):
    batches = itertools.chain.from_iterable(itertools.repeat(DataLoader(Tweets(rows), batch_size=32, num_workers=4)))
    teacher = AutoModelForSequenceClassification.from_pretrained("teacher").cuda().eval().requires_grad_(False)
    for _ in range(10000):
        ids = next(batches)["ids"].cuda()
        with torch.no_grad():
            wanted = teacher(ids).logits  # want SAT318 "a frozen model computes the same"
        torch.nn.functional.mse_loss(student(ids), wanted).backward()
        optimizer.step()
