import torch


def main(model, optimizer, criterion, loader, path):
    def save(name):
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, name)

    model, step = model.cuda(), 0
    for epoch in range(100):
        for x, y in loader:
            step += 1
            loss = criterion(model(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 100 == 0:
                save(path)  # want SAT708 "writes a checkpoint every 100 steps"
            if step % 1000 == 0:
                save(f"{path}.{step}")
