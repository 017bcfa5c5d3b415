import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration


def build():
    return WhisperForConditionalGeneration(WhisperConfig(d_model=384, use_cache=False))


def train(batches, steps):
    model = build().to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(steps):
        batch = next(batches)
        loss = model(input_features=batch["x"], labels=batch["y"]).loss  # want SAT316 "packed sequences"
        loss.backward()
        optimizer.step()


def train_whole_batches(loader):
    model = build().to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in loader:
        batch = {name: part.to("cuda") for name, part in batch.items()}
        outputs = model(**batch)  # want SAT316 "packed sequences"
        loss = outputs.loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
