def train(model, loader, optimizer):
    for x in loader:
        optimizer.zero_grad(set_to_none=False)
        model(x.cuda()).sum().backward()
        for p in model.parameters():
            p.grad += 0.1
        optimizer.step()
