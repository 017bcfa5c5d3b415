import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from transformers import AutoTokenizer, CLIPTextModel


class Pairs(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, i):
        return torch.load(self.rows[i][0]), self.rows[i][1]

    def __len__(self):
        return len(self.rows)


class Text:
    def __init__(self, name):
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.net = CLIPTextModel.from_pretrained(name).cuda().eval()

    @torch.no_grad()
    def __call__(self, captions):
        enc = self.tokenizer(list(captions), padding=True, return_tensors="pt")
        return self.net(enc.input_ids.cuda()).last_hidden_state  # want SAT318 "a frozen model computes the same"


class Judge(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.net = CLIPTextModel.from_pretrained(name)

    def forward(self, guess):
        with torch.no_grad():
            return self.net(guess).last_hidden_state


def train(rows, model, optimizer):
    text, judge = Text("clip"), Judge("clip").cuda()
    model.cuda()
    for x, captions in DataLoader(Pairs(rows), 8, shuffle=True, num_workers=4):
        guess = model(x.cuda(), text(captions))
        (guess.mean() + judge(guess).mean()).backward()
        optimizer.step()
