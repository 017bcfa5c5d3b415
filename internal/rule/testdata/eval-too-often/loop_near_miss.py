import torch


def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        for x in loader:
            model(x.cuda())
    model.train()


@torch.no_grad()
def update(average, model):
    for a, b in zip(average.parameters(), model.parameters()):
        a.lerp_(b, 0.01)


def targets(teacher, crops):
    with torch.no_grad():
        return [teacher(crop) for crop in crops]


def train(model, loader, validation, optimizer, epochs, every, teacher, average, best):
    teacher.eval()
    for epoch in range(epochs):
        for step, x in enumerate(loader):
            targets(teacher, x)
            with torch.no_grad():
                for crop in x:
                    teacher(crop)
            loss = model(x.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            update(average, model)
            if step % 500 == 0:
                evaluate(model, validation)
            if step % every == 0:
                evaluate(model, validation)
            if epoch % 2 == 0 and step == len(loader) - 1:
                evaluate(model, validation)
            if step % 10 == 0 and best < 0.1:
                evaluate(model, validation)
            if loss < 0.1:
                evaluate(model, validation)
        evaluate(model, validation)


def train_shortly(model, x, validation, optimizer):
    for step in range(1000):
        loss = model(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            evaluate(model, validation)
