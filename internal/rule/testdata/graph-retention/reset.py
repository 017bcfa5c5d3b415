def train(model, loader, optimizer, every):
    model.cuda()
    total = 0.0
    for step, x in enumerate(loader):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        total = total + loss  # want SAT507 "together with their graph"
        if step % every == 0:
            print(total.item() / every)
            total = 0.0


def train_anew(model, loader, optimizer):
    model.cuda()
    total = 0.0
    for x in loader:
        total = 0.0
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        total = total + loss
    return total
