import gymnasium as gym
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi, self.v = nn.Linear(8, 4), nn.Linear(8, 1)

    def forward(self, x):
        return self.pi(x), self.v(x)


class Collector:
    def __init__(self, envs, net):
        self.envs, self.net = envs, net
        self.obs = [env.reset()[0] for env in envs]

    def collect(self):
        rows = []
        for t in range(128):
            for i, env in enumerate(self.envs):  # want SAT201 "the environments of self.envs step one after another"
                logits, value = self.net(torch.tensor(self.obs[i]).unsqueeze(0).cuda())
                new, reward, done, cut, info = env.step(logits.argmax(-1).item())
                rows.append((self.obs[i], value, reward, done or cut))
                self.obs[i] = env.reset()[0] if done or cut else new
        return rows


class Few:
    def __init__(self):
        self.envs = [gym.make("CartPole-v1") for _ in range(2)]

    def collect(self, actions):
        for env, action in zip(self.envs, actions):
            obs, reward, done, cut, info = env.step(action)


def train():
    net = Net().cuda()
    collector, few = Collector([gym.make("CartPole-v1") for _ in range(16)], net), Few()
    optimizer = torch.optim.Adam(net.parameters())
    schedulers = [torch.optim.lr_scheduler.StepLR(optimizer, 10) for _ in range(16)]
    for update in range(1000):
        rows = collector.collect()
        few.collect([0, 1])
        for _ in range(4):
            loss = torch.cat([r[1] for r in rows]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            for scheduler in schedulers:
                scheduler.step(update)
