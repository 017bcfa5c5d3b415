import torch
from tqdm import tqdm


def train(model, loader, optimizer, criterion):
    model.cuda()
    bar = tqdm(loader)
    for step, (x, y) in enumerate(bar):
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        bar.set_postfix(loss=loss.item())  # want SAT303 "reads loss back"
        bar.set_description(f"loss {loss:.3f}")  # want SAT303 "reads loss back"
        bar.set_postfix({"loss": float(loss), "step": step})  # want SAT303 "reads loss back"
        bar.update()


def train_range(model, batches, optimizer, criterion, steps):
    for step in (bar := tqdm(range(steps))):
        loss = criterion(model(next(batches).cuda()))
        loss.backward()
        optimizer.step()
        bar.set_postfix_str(f"loss {loss}")  # want SAT303 "reads loss back"
