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


def returns(policy, env):
    """The first call of the loop is the policy's; what it gives are actions all the same."""
    state, done, total = env.reset(), False, 0
    while not done:
        state = torch.as_tensor(state).cuda()
        chances = policy.model(state)
        state, reward, done, _ = env.step(chances.argmax().item())
        total += reward
    return total


def train_longer(policy, env, memory, optimizer, steps):
    for step in range(steps):
        loss = policy.model(memory.sample(256).cuda()).mean()
        loss.backward()
        optimizer.step()
        if step % 2000 == 0:
            print(returns(policy, env))  # want SAT706 "act in an environment"


def returns_of_all(policies, envs, steps):
    """Each of several policies has a call of its own for a turn of the environments."""
    states = envs.reset()
    for _ in range(steps):
        actions, hidden = [], torch.zeros(1, 64).cuda()
        for i in range(len(policies)):
            action, hidden = policies.model(states[i], hidden)
            actions.append(action)
        states, rewards, dones, infos = envs.step(actions)


def train_all(policies, envs, memory, optimizer, steps):
    for step in range(steps):
        loss = policies.model(memory.sample(256).cuda()).mean()
        loss.backward()
        optimizer.step()
        if step % 3000 == 0:
            returns_of_all(policies, envs, 100)  # want SAT706 "act in an environment"
