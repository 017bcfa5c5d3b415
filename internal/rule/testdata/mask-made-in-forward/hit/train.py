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
