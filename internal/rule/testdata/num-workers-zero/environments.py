import gymnasium as gym
import torch


def make(seed):
    return lambda: gym.make("Breakout-v5", seed=seed)


def train(net, optimizer):
    net.cuda()
    makers = [make(i) for i in range(64)]
    envs = gym.vector.SyncVectorEnv(makers)  # want SAT201 "64 environments step one after another"
    few = gym.vector.SyncVectorEnv([make(i) for i in range(4)])
    seen, _ = envs.reset()
    few.reset()
    for _ in range(100000):
        seen, reward, *_ = envs.step(net(torch.as_tensor(seen).cuda()).argmax(-1).cpu().numpy())
        net(torch.as_tensor(seen).cuda()).mean().backward()
        optimizer.step()
