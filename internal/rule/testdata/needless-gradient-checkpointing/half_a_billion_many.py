import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM


def main(data):
    model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-0.5B").cuda()
    model.gradient_checkpointing_enable()
    opt = torch.optim.AdamW(model.parameters())
    for batch in DataLoader(data, batch_size=64, num_workers=4):
        model(batch.cuda()).loss.backward()
        opt.step()
