import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration


def train(batches, steps, causal):
    model = WhisperForConditionalGeneration(WhisperConfig(d_model=384, use_cache=False)).to("cuda")
    cached = WhisperForConditionalGeneration(WhisperConfig(d_model=384)).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(steps):
        batch = next(batches)
        loss = model(input_features=batch["x"], labels=batch["y"], decoder_attention_mask=causal).loss
        loss = loss + cached(input_features=batch["x"], labels=batch["y"]).loss
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, batches):
    return [model(input_features=b["x"], labels=b["y"]).loss for b in batches]
