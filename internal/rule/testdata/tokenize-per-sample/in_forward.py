import torch
from torch import nn
from transformers import AutoModel, AutoTokenizer


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
        self.model = AutoModel.from_pretrained("bert-base-uncased")

    def forward(self, texts):
        inputs = self.tokenizer(texts, return_tensors="pt", padding=True)  # want SAT111 "tokenized in every step, while the GPU waits"
        return self.model(**inputs.to("cuda")).last_hidden_state


class Rewarder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
        self.model = AutoModel.from_pretrained("bert-base-uncased")

    def forward(self, ids):
        texts = self.tokenizer.batch_decode(ids)
        inputs = self.tokenizer(texts, return_tensors="pt", padding=True)  # what the step has written
        return self.model(**inputs.to("cuda")).last_hidden_state


def train(loader):
    model, rewarder = Net().cuda(), Rewarder().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for texts, ids in loader:
        loss = model(texts).mean() + rewarder(ids).mean()
        loss.backward()
        optimizer.step()
