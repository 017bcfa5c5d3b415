# Beside the generation of each reply, a loop over the replies costs nothing.
import torch
from accelerate import Accelerator
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM


class Rollouts:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    @torch.no_grad()
    def sample(self, model, prompts, device):
        rows, starts = [], []
        for p in prompts:
            x = self.tokenizer(p, return_tensors="pt").input_ids.to(device)
            y = model.generate(x, max_new_tokens=128)
            rows.append(y[0])
            starts.append(x.shape[1])
        ids = pad_sequence(rows, batch_first=True)
        mask = (ids != 0).long()
        reply = torch.zeros_like(mask)
        for b, s in enumerate(starts):
            reply[b, s:] = mask[b, s:]
        return ids, reply


def train(tokenizer, batches, optimizer):
    acc = Accelerator(mixed_precision="bf16")
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    model, optimizer = acc.prepare(model, optimizer)
    rollouts = Rollouts(tokenizer)
    for prompts in batches:
        ids, reply = rollouts.sample(acc.unwrap_model(model), prompts, acc.device)
        loss = (model(ids).logits.mean(-1) * reply).mean()
        acc.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
