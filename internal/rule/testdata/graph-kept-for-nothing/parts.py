import numpy as np
import torch
import torch.nn as nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.out = nn.Linear(64, 512), nn.Linear(512, 4)

    def forward(self, x):
        return self.out(torch.tanh(self.body(x)))


def train(envs, total, batch, part):
    agent = Agent().to("cuda")
    optimizer = torch.optim.Adam(agent.parameters())
    o = torch.as_tensor(envs.reset())
    for update in range(total // batch):
        o = torch.as_tensor(np.array(o))
        order = np.arange(batch)
        for turn in range(4):
            for start in range(0, batch, part):
                x = o[order[start : start + part]].to("cuda")
                loss = agent(x).logsumexp(-1).mean()
                optimizer.zero_grad()
                loss.backward(retain_graph=True)  # want SAT514 "the graph is kept"
                optimizer.step()
