import torch


def train(loader, model, criteria, optimizer, schedule):
    model.cuda()
    for step, batch in enumerate(loader):
        out = model(batch.cuda())
        weight = schedule(step)  # which gives a number
        near, far = criteria["near"](out), 0
        close = criteria["close"](out)
        wide = criteria["wide"](out)
        total = (close + 0.5 * wide).div(4)
        total.backward()
        optimizer.step()
        optimizer.zero_grad()
        a = float(close)  # want SAT301 "waits for the GPU"
        b = float(weight)
        print(a, b, near, far)
