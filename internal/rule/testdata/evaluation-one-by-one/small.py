import torch
from torch.utils.data import DataLoader
from transformers import TrainingArguments

args = TrainingArguments("out", eval_strategy="epoch", per_device_eval_batch_size=1, per_device_train_batch_size=1)  # want SAT709 "one sample at a time"
other = TrainingArguments("out", eval_strategy="epoch", per_device_eval_batch_size=8, per_device_train_batch_size=8)
never = TrainingArguments("out", per_device_eval_batch_size=1)


def train(model, data, held, epochs):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(data, batch_size=512, shuffle=True)
    checks = DataLoader(held, batch_size=64)  # want SAT709 "64 in validation and 512 in training"
    more = DataLoader(held, batch_size=256)
    for epoch in range(epochs):
        for x, y in loader:
            loss = (model(x.cuda()) - y.cuda()).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        with torch.no_grad():
            for x, y in checks:
                model(x.cuda())
            for x, y in more:
                model(x.cuda())
