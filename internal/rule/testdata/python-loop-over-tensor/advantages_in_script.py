import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.pi, self.v = nn.Linear(8, 64), nn.Linear(64, 4), nn.Linear(64, 1)

    def forward(self, x):
        h = self.body(x).tanh()
        return self.pi(h), self.v(h)


def main(envs, args):
    device = torch.device("cuda")
    agent = Agent().to(device)
    optimizer = torch.optim.Adam(agent.parameters())
    obs = torch.zeros((args.num_steps, args.num_envs, 8)).to(device)
    rewards = torch.zeros((args.num_steps, args.num_envs)).to(device)
    dones = torch.zeros((args.num_steps, args.num_envs)).to(device)
    values = torch.zeros((args.num_steps, args.num_envs)).to(device)
    for update in range(1, args.updates + 1):
        collect(envs, agent, obs, rewards, dones, values)
        with torch.no_grad():
            next_value = agent(obs[-1])[1].reshape(1, -1)
            advantages = torch.zeros_like(rewards).to(device)
            last = 0
            for t in reversed(range(args.num_steps)):  # want SAT319 "Python steps through dones with"
                if t == args.num_steps - 1:
                    alive, next_values = 1.0 - dones[-1], next_value
                else:
                    alive, next_values = 1.0 - dones[t + 1], values[t + 1]
                delta = rewards[t] + args.gamma * next_values * alive - values[t]
                advantages[t] = last = delta + args.gamma * args.lam * alive * last
            returns = advantages + values
        for epoch in range(args.epochs):
            pi, v = agent(obs.flatten(0, 1))
            loss = (v.flatten() - returns.flatten()).pow(2).mean() - (pi.mean(-1) * advantages.flatten()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def collect(envs, agent, obs, rewards, dones, values):
    pass


def in_numpy(envs, agent, optimizer, args, np):
    for update in range(args.updates):
        rewards, values = np.zeros((args.num_steps, 16)), np.zeros((args.num_steps + 1, 16))
        returns = np.zeros_like(rewards)
        last = 0
        for t in reversed(range(args.num_steps)):
            delta = rewards[t] + args.gamma * values[t + 1] - values[t]
            returns[t] = last = delta + args.gamma * args.lam * last
        for epoch in range(args.epochs):
            loss = agent(torch.as_tensor(returns).cuda())[1].mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
