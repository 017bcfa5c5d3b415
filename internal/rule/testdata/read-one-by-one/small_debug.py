import torch


def draw(maps, name):
    for i in range(maps.size(0)):
        for j in range(maps.size(1)):
            picture = maps[i][j].mul(255).clamp(0, 255).byte().cpu().numpy()  # want SAT325 "it runs once in many steps"
            picture.tofile(f"{name}_{i}_{j}.raw")


def train(model, loader, optimizer):
    model.cuda()
    for i, (x, y) in enumerate(loader):
        out = model(x.cuda(non_blocking=True))
        loss = (out - y.cuda(non_blocking=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % 100 == 0:
            draw(out, f"step{i}")


def validate(model, loader):
    model.eval()
    with torch.no_grad():
        for i, (x, y) in enumerate(loader):
            out = model(x.cuda())
            if i % 100 == 0:
                draw(out, f"valid{i}")


def main(model, loader, heldout, optimizer):
    for epoch in range(10):
        train(model, loader, optimizer)
        validate(model, heldout)
