import pandas as pd
import torch


def train(model, optimizer):
    model.cuda()
    table = pd.read_csv("table.csv")
    labels = {row["id"]: row["label"] for _, row in table.iterrows()}
    for epoch in range(10):
        for at in range(0, len(table), 256):
            part = table.iloc[at : at + 256]
            x = torch.tensor([list(row[:30]) for _, row in part.iterrows()])  # want SAT119 "one by one in every step"
            model(x.cuda()).mean().backward()
            optimizer.step()
    return labels
