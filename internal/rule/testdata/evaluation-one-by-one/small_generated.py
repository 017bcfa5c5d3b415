import numpy as np
import torch


def overlaps(samples, references):
    scores = []
    for sample, reference in zip(samples, references):  # want SAT709 "generating what it goes through takes longer"
        scores.append(np.mean([word in reference for word in sample]))
    return np.mean(scores)


@torch.no_grad()
def evaluate(model, loader, tokenizer):
    model.eval()
    total = 0.0
    for batch in loader:
        samples = tokenizer.batch_decode(model.generate(batch["input_ids"].cuda()))
        total += overlaps(samples, batch["reference"])
    model.train()
    return total


def train(model, optimizer, loader, held_out, tokenizer):
    model.cuda()
    for epoch in range(10):
        for batch in loader:
            loss = model(**batch).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(evaluate(model, held_out, tokenizer))
