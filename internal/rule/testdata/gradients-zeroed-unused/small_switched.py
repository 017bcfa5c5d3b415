from dataclasses import dataclass

import torch


@dataclass
class Config:
    lagrange: bool = False


class Agent:
    def __init__(self, critic, critic_optimizer, alpha, alpha_optimizer, lagrange=False):
        self.critic, self.alpha = critic, alpha
        self.critic_optimizer, self.alpha_optimizer = critic_optimizer, alpha_optimizer
        self.lagrange = lagrange

    def penalty(self, x):
        q = self.critic(x)  # want SAT515 "the defaults leave it out: it needs self.lagrange"
        loss = q.mean()
        if self.lagrange:
            self.alpha_optimizer.zero_grad()
            weighed = (self.alpha(x) * q).mean()
            weighed.backward(retain_graph=True)
            self.alpha_optimizer.step()
        return loss

    def train(self, x):
        loss = self.penalty(x)
        self.critic_optimizer.zero_grad()
        loss.backward()
        self.critic_optimizer.step()


def main(loader):
    config = Config()
    critic, alpha = torch.nn.Linear(8, 1).cuda(), torch.nn.Linear(8, 1).cuda()
    agent = Agent(critic, torch.optim.Adam(critic.parameters()), alpha, torch.optim.Adam(alpha.parameters()), config.lagrange)
    for x in loader:
        agent.train(x.cuda(non_blocking=True))


if __name__ == "__main__":
    main(torch.utils.data.DataLoader(torch.rand(100, 8), pin_memory=True))
