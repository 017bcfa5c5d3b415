from tqdm import tqdm


def train(model, loader, optimizer, criterion):
    model.cuda()
    bar = tqdm(loader)
    shown = 0.0
    for step, (x, y) in enumerate(bar):
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            shown = loss.item()
            bar.set_postfix(loss=shown)
        bar.set_description(f"step {step}, batch of {x.size(0)}, loss {shown}")


def validate(model, loader, criterion):
    bar = tqdm(loader)
    for x, y in bar:
        bar.set_postfix(loss=criterion(model(x), y).item())
