"""Parts of what the model gives, in loops, comprehensions and the functions that are given them."""
import torch


def discriminator_loss(real, made, names, order: int):
    loss, r_losses, g_losses = 0, [], []
    for dr, dg in zip(real, made):
        r_loss = torch.mean((1 - dr.float()) ** 2)
        g_loss = torch.mean(dg.float() ** order)
        loss += r_loss + g_loss
        r_losses.append(r_loss.item())  # want SAT301 "waits for the GPU"
        g_losses.append(g_loss.item())  # told SAT301 "waits"
    for name in names:
        g_losses.append(name.item())
    return loss, r_losses, g_losses


def train(model, loader, optimizer, numbers):
    model.cuda()
    for x in loader:
        real, made = model(x.cuda(non_blocking=True))
        loss, _, _ = discriminator_loss(real, made, numbers, 2)
        values = [part.item() for part in real]  # want SAT301 "waits for the GPU"
        counts = [n.item() for n in numbers]
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(values, counts)
