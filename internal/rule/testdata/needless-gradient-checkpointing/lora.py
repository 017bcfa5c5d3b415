import torch
from peft import LoraConfig, get_peft_model
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM


def train(data):
    model = AutoModelForCausalLM.from_pretrained("TinyLlama/TinyLlama-1.1B-Chat-v1.0").to("cuda")
    model.gradient_checkpointing_enable()  # want SAT503 "activations twice"
    model = get_peft_model(model, LoraConfig(r=8))
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in DataLoader(data, batch_size=1, shuffle=True):
        model(**batch).loss.backward()
        optimizer.step()
