import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, TrainingArguments


def main(data):
    model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-3B").cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)  # want SAT501 "8 bytes"
    other = TrainingArguments("out")  # want SAT501 "8 bytes"
    for batch in DataLoader(data, batch_size=2):
        optimizer.zero_grad()
        model(**batch).loss.backward()
        optimizer.step()
    return other
