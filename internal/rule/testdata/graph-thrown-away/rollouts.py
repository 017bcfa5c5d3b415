"""Functions that run a policy in a loop and return nothing that has a graph."""

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.value = nn.Linear(8, 4), nn.Linear(8, 1)

    def forward(self, x):
        return self.body(x), self.value(x)


def rollout(policy: Policy, env, state):
    states, values = [], []
    for _ in range(128):
        logits, value = policy(state)  # want SAT513 "policy builds a graph in each iteration"
        state, reward, done = env.step(logits)
        states.append(state)
        values.append(value)
    return torch.stack(states).detach(), torch.stack(values).detach()


def returns_dict(policy: Policy, env, state):
    kept = []
    for _ in range(128):
        logits, value = policy(state)  # want SAT513 "policy builds a graph in each iteration"
        state, reward, done = env.step(logits)
        kept.append(value)
    return {"values": torch.cat(kept).detach().cpu().numpy(), "last": state.cpu().numpy()}


@torch.no_grad()
def without(policy: Policy, env, state):
    kept = []
    for _ in range(128):
        kept.append(policy(state)[1])
    return torch.stack(kept).detach()


def reinforce(policy: Policy, env, state):
    kept = []
    for _ in range(128):
        logits, value = policy(state)
        kept.append(logits.log_softmax(-1)[0])
    return torch.stack(kept)


def train(env, state):
    policy = Policy().cuda()
    optimizer = torch.optim.Adam(policy.parameters(), fused=True)
    for update in range(1000):
        states, values = rollout(policy, env, state)
        more = returns_dict(policy, env, state)
        again = without(policy, env, state)
        for x in states.split(32):
            loss = policy(x)[0].mean() + reinforce(policy, env, state).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(values, more, again)
