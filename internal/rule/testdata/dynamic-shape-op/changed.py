import torch
from torch import nn, optim


class Agent:
    def __init__(self, args):
        self.support = torch.linspace(-10, 10, 51).to(device=args.device)
        self.net = nn.Linear(64, 51).to(device=args.device)
        self.opt = optim.Adam(self.net.parameters(), fused=True)

    def learn(self, states, returns):
        reached = returns.unsqueeze(1) + 0.9 * self.support.unsqueeze(0)
        low, high = reached.floor().long(), reached.ceil().long()
        low[(high > 0) * (low == high)] -= 1  # want SAT306 "depends on GPU values"
        loss = (self.net(states) * low).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()

    def fill(self, states):
        out = self.net(states)
        out[out > 1] = 0  # filled where it is, whatever the number of places
        self.opt.zero_grad()
        out.sum().backward()
        self.opt.step()


def main(args, loader):
    args.device = torch.device("cuda")
    agent = Agent(args)
    for states, returns in loader:
        agent.learn(states.cuda(), returns)
        agent.fill(states.cuda())
