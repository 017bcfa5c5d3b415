import torch


def act(env, policy, optimizer):
    observation = env.reset()
    for i in range(100000):
        action = policy(torch.tensor(observation).unsqueeze(0).cuda())
        observation, reward, done, info = env.step(action)
        (-reward * action).sum().backward()
        optimizer.step()
