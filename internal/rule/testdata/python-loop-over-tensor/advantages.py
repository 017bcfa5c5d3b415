import torch


class Buffer:
    def __init__(self, device):
        self.device, self.rewards = device, []

    def finish(self, last, gamma):
        rewards = torch.tensor(self.rewards, device=self.device)
        out = torch.zeros_like(rewards)
        for t in reversed(range(len(self.rewards))):  # want SAT319 "small operations per iteration"
            last = rewards[t] + gamma * last * (1 - rewards[t])
            out[t] = last
        return out

    def finish_on_host(self, last, gamma):
        out = [0.0] * len(self.rewards)
        for t in reversed(range(len(self.rewards))):
            last = self.rewards[t] + gamma * last * (1 - self.rewards[t])
            out[t] = last
        return out


def collect(net, buffer, env):
    with torch.no_grad():
        last = net(env.reset())
    return buffer.finish(last, 0.99), buffer.finish_on_host(0.0, 0.99)


def update(net, data, optimizer):
    for x in data.split(32):
        net(x).sum().backward()
        optimizer.step()


def train(net, env, optimizer):
    net.to("cuda")
    buffer = Buffer("cuda")
    for _ in range(1000):
        data, _ = collect(net, buffer, env)
        update(net, data, optimizer)
