import torch


def postprocess(outputs):
    found = [None for _ in range(len(outputs))]
    for i, output in enumerate(outputs):
        found[i] = output[output[:, 4] > 0.5]
    return found


def collect(outputs, ids):
    results = []
    for output, number in zip(outputs, ids):
        results.append((number, output.cpu()))
    return results


@torch.no_grad()
def evaluate(model, loader):
    model.cuda().eval()
    results = []
    for x, ids in loader:
        outputs = model(x.cuda(non_blocking=True))
        outputs = postprocess(outputs)
        results.extend(collect(outputs, ids))
    return results


def train(model, loader, dev, optimizer):
    for epoch in range(10):
        for x, y in loader:
            model(x.cuda(non_blocking=True)).mean().backward()
            optimizer.step()
        evaluate(model, dev)
