"""An agent that learns from 32 transitions between two steps of its environment does not fill a GPU."""
import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self, actions):
        super().__init__()
        self.q = nn.Sequential(nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, actions))

    def forward(self, x):
        return self.q(x)


def main(env, memory, batch_size=32):
    agent = Agent(env.action_space.n).cuda()
    optimizer = torch.optim.Adam(agent.parameters())
    state = env.reset()
    for step in range(1000000):
        action = agent(torch.as_tensor(state, device="cuda")).argmax().item()
        state, reward, done, info = env.step(action)
        states, targets = memory.sample(batch_size)
        loss = (agent(states) - targets).square().mean()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main(None, None)
