import torch
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import CLIPTextModel, CLIPTokenizer


def main(model, optimizer, device):
    tokenizer = CLIPTokenizer.from_pretrained("openai/clip")
    encoder = CLIPTextModel.from_pretrained("openai/clip").to(device)

    def embed(texts):
        tokens = tokenizer(texts, return_tensors="pt").input_ids
        return encoder(tokens.to(encoder.device))[0]

    def preprocess(rows):
        rows["embeds"] = embed(rows["text"])
        return rows

    data = load_dataset("pictures")["train"].with_transform(preprocess)
    loader = DataLoader(data, shuffle=True, batch_size=8)
    for batch in loader:
        loss = model(batch["embeds"].cuda()).mean()
        loss.backward()
        optimizer.step()
