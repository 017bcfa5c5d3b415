import numpy as np
import torch

model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def of_arrays(scores):
    mean = np.mean(scores)  # which no tensor of the GPU survives
    return [float(scores[i]) - mean for i in range(len(scores))]


def of_tensors(scores):
    mean = np.mean(scores.tolist())  # want SAT301 "waits for the GPU"
    return [float(scores[i]) - mean for i in range(len(scores))]


def train(loader):
    for x in loader:
        out = model(x.cuda())
        of_arrays(out.detach())
        of_tensors(out.detach())
        loss = out.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train(torch.utils.data.DataLoader(data, batch_size=8))
