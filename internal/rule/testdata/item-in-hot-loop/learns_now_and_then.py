from abc import ABC, abstractmethod

import torch


def update(optimizer, loss, clip=None):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


class Agent(ABC):
    def __init__(self, memory):
        self.memory = memory
        self.steps = 0

    def run(self):
        while self.steps < 100_000:
            self.episode()

    def episode(self):
        done = False
        while not done:
            self.steps += 1
            done = self.memory.act()
            if self.steps % 4 == 0:
                self.learn()
            if self.steps % 1000 == 0:
                self.report()

    def report(self):
        print(self.total.item())

    @abstractmethod
    def learn(self):
        pass


class Quantiles(Agent):
    def __init__(self, memory):
        super().__init__(memory)
        self.net = torch.nn.Linear(4096, 4096).cuda()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def learn(self):
        states, targets = self.memory.sample()
        loss = torch.nn.functional.mse_loss(self.net(states), targets)
        update(self.optimizer, loss)
        self.last = loss.item()  # want SAT301 "waits for the GPU"


Quantiles(torch.load("memory.pt")).run()
