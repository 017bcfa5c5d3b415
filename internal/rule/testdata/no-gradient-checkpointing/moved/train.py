import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM


def main(data):
    model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-3B").to("cuda").train()  # want SAT502 "memory looks tight"
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    for batch in DataLoader(data, batch_size=2):
        optimizer.zero_grad()
        model(**batch).loss.backward()
        optimizer.step()
