import torch


def paint(vgg, content, steps):
    target = content.clone().cuda().requires_grad_(True)
    optimizer = torch.optim.Adam([target], lr=0.003)
    for step in range(steps):
        loss = (vgg(target) - vgg(content)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return target
