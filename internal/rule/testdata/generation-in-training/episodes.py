import torch


def evaluate(agent, env, episodes):
    for _ in range(episodes):
        state, done = env.reset(), False
        while not done:
            action = agent.act(state)
            state, reward, done, info = env.step(action)


def train(agent, env, memory, optimizer, steps):
    agent.cuda()
    for step in range(steps):
        loss = agent(memory.sample(256).cuda()).mean()
        loss.backward()
        optimizer.step()
        if step % 5000 == 0:
            evaluate(agent, env, 10)  # want SAT706 "act in an environment"
