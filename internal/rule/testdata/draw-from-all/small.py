import numpy as np
import torch


def train(field, points, steps):
    field.cuda()
    update = torch.optim.Adam(field.parameters(), fused=True)
    for step in range(steps):
        cloud = points[step]
        chosen = np.random.choice(cloud.shape[0], 1024, replace=False)  # want SAT137 "depends on how many there are"
        more = torch.randperm(len(cloud))[:1024]  # want SAT137 "depends on how many there are"
        loss = field(cloud[chosen].cuda()).mean() + field(cloud[more].cuda()).mean()
        loss.backward()
        update.step()
        update.zero_grad()
