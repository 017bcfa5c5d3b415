import torch


class Options:
    def __init__(self, **given):
        self.__dict__.update(given)

    def override(self, text):
        for part in filter(None, text.split(",")):
            name, value = part.split("=")
            setattr(self, name, type(getattr(self, name))(value))
        return self


def create(text=""):
    options = Options(lr=1e-3, half=False, epochs=10)
    return options.override(text)


def train(model, loader):
    options = create()
    model.cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.lr)
    for epoch in range(options.epochs):
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16, enabled=options.half):
                loss = torch.nn.functional.cross_entropy(model(x), y)  # want SAT401 "switched off"
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
