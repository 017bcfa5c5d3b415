# Lists that are made together hold tensors of the GPU, which another function reads.
import torch
import torch.nn.functional as F


def assign(boxes, labels):
    classes, places = [], []
    for b, l in zip(boxes, labels):
        classes.append(l)
        places.append(b)
    return torch.stack(classes), torch.stack(places)


def losses(scores, target, background):
    inside = target < background
    return F.cross_entropy(scores, target) / max(1, int(inside.sum()))  # want SAT301 "waits for the GPU"


def train(model, loader, optimizer):
    model.cuda()
    names, counts = [], []
    for images, boxes, labels in loader:
        boxes = [b.cuda(non_blocking=True) for b in boxes]
        labels = [l.cuda(non_blocking=True) for l in labels]
        target, _ = assign(boxes, labels)
        loss = losses(model(images.cuda(non_blocking=True)), target, 80)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        names.append(len(labels))
        counts.append(int(sum(names)))
