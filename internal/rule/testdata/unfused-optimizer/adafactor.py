import torch
from transformers import AutoModelForSeq2SeqLM
from transformers.optimization import Adafactor


def train(loader):
    model = AutoModelForSeq2SeqLM.from_pretrained("t5-base").cuda()
    optimizer = Adafactor(model.parameters(), lr=1e-3, relative_step=False)  # want SAT406 "Adafactor"
    for batch in loader:
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
