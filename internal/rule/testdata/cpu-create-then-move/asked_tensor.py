import torch


def embed(x, step):
    """In training the step is a tensor."""
    if not torch.is_tensor(step):
        step = torch.tensor([step], device=x.device)
    return x * step


def scale(x, rate):
    if not isinstance(rate, torch.Tensor):
        rate = torch.tensor([rate], device=x.device)  # want SAT312 "copied|computed"
    return x * rate


class Model(torch.nn.Module):
    def forward(self, x, step):
        return scale(embed(x, step), 0.5)


def train(loader):
    model = Model().to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        x = x.cuda(non_blocking=True)
        step = torch.randint(0, 1000, (x.size(0),), device=x.device)
        loss = model(x, step).mean()
        loss.backward()
        optimizer.step()
