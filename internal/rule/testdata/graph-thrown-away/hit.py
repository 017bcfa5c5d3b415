import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)


def to_numpy(t):
    return t.detach().cpu().numpy()


class Agent:
    def __init__(self):
        self.actor = Net().cuda()
        self.critic = Net().cuda()
        self.target = Net().cuda()
        self.optimizer = torch.optim.Adam(self.critic.parameters())

    def act(self, state):
        action = self.actor(state.cuda())  # want SAT513 "self.actor builds a graph"
        action = action.clamp(-1, 1)
        assert action.shape[0] == 1
        return to_numpy(action[0])

    def choose(self, state):
        return self.critic(state.cuda()).argmax().item()  # want SAT513 "self.critic builds a graph"

    def raw(self, state):
        return self.actor(state.cuda()).cpu().data.numpy()  # want SAT513 "self.actor builds a graph"

    def update(self, state, reward, after):
        action = self.actor(after)  # want SAT513 "self.actor builds a graph"
        value = self.target(action)
        goal = reward + 0.9 * value
        goal = goal.detach()
        loss = F.mse_loss(self.critic(state), goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def train(env):
    agent = Agent()
    state = env.reset()
    while True:
        after, reward = env.step(agent.act(state))
        agent.choose(after)
        agent.raw(after)
        agent.update(state.cuda(), reward, after)
        state = after


def train_pair(loader):
    maker, judge = Net().cuda(), Net().cuda()
    optimizer = torch.optim.Adam(judge.parameters())
    for noise, real in loader:
        fake = maker(noise.cuda()).detach()  # want SAT513 "maker builds a graph"
        loss = judge(fake).mean() - judge(real.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
