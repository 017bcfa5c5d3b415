import torch
from torch import nn
from transformers import AutoModelForCausalLM


def train(teacher, args):
    teacher.half()
    model = nn.Linear(10, 10).cuda()
    if args.half_inference:
        model.half()
    return torch.optim.AdamW(model.parameters(), lr=1e-4)


def bfloat(name):
    model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16)
    return torch.optim.AdamW(model.parameters(), lr=1e-4)


def plain(model):
    model.half()
    return torch.optim.SGD(model.parameters(), lr=1e-4)


def infer(model, x):
    return model.half()(x.half())
