import numpy as np
import torch


def validate(model, loader, evaluator):
    model.eval()
    for image, target in loader:
        image = image.cuda(non_blocking=True)
        with torch.no_grad():
            output = model(image)
        pred = output.data.cpu().numpy()  # want SAT304 "every score to the host for an argmax"
        pred = np.argmax(pred, axis=1)
        classes = output.argmax(1).cpu().numpy()
        best = np.argmax([1, 2, 3])
        evaluator.add(target.numpy(), pred, classes, best)


def train(model, loader, optimizer, evaluator):
    model.cuda()
    for image, target in loader:
        loss = torch.nn.functional.cross_entropy(model(image.cuda(non_blocking=True)), target.cuda(non_blocking=True))
        loss.backward()
        optimizer.step()
    validate(model, loader, evaluator)
