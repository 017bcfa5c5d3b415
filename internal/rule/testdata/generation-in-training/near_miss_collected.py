import torch


class Runner:
    """Collecting samples is a part of training, not a stop."""

    def __init__(self, policy, envs, optimizer, agents, length):
        self.policy, self.envs, self.optimizer = policy.cuda(), envs, optimizer
        self.agents, self.length = agents, length
        self.memory = []

    def collect(self, state):
        hidden = torch.zeros(len(state), 64).cuda()
        actions = []
        for _ in range(self.agents):
            action, hidden = self.policy.model(state, hidden)
            actions.append(action)
        return actions, hidden

    def run(self, episodes):
        state = self.envs.reset()
        for episode in range(episodes):
            for step in range(self.length):
                actions, hidden = self.collect(state)
                state, shared, rewards, dones, infos, available = self.envs.step(actions)
                self.memory.append((state, rewards, hidden))
            self.train()

    def train(self):
        for state, rewards, hidden in self.memory:
            loss = (self.policy.model(state, hidden)[0] - rewards).square().mean()
            loss.backward()
            self.optimizer.step()
