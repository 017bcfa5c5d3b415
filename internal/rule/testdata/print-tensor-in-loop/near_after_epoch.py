import sys
import time
import torch
from torch import nn, optim

def train(data):
    model = nn.Linear(512, 512).cuda()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    for idx in range(data.iteration):
        sample_loss = 0
        total_loss = 0
        model.train()
        total_batch = len(data.ids) // 10 + 1
        for batch_id in range(total_batch):
            x = data.ids[batch_id].cuda()
            loss = model(x).sum()
            sample_loss += loss.data[0]
            total_loss += loss.data[0]
            if batch_id % 500 == 0:
                print("loss: %.4f" % sample_loss)
                sample_loss = 0
            loss.backward()
            optimizer.step()
            model.zero_grad()
        print("loss: %.4f" % sample_loss)
        print("%s" % total_loss)

train(None)
