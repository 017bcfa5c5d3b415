import torch
from torch import nn
from transformers import AutoModelForCausalLM


def train():
    model = nn.Linear(10, 10).cuda().half()  # want SAT405 "float16 weights"
    return torch.optim.AdamW(model.parameters(), lr=1e-4)


def train_in_place(model):
    model.half()  # want SAT405 "float16 weights"
    return torch.optim.Adam(model.parameters(), lr=1e-4)


def train_loaded(name):
    model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.float16)  # want SAT405 "float16 weights"
    return torch.optim.AdamW(model.parameters(), lr=1e-4)
