import numpy as np
import torch
from torch import nn


def iou(a, b):
    lt, rb = torch.max(a[:2], b[:, :2]), torch.min(a[2:], b[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, 0] * wh[:, 1]
    return inter / ((a[2] - a[0]) * (a[3] - a[1]) + (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1]) - inter)


def suppress(boxes, scores, limit=0.5):
    keep = []
    order = scores.argsort(descending=True)
    while order.numel() > 0:  # want SAT325 "count what is left of order in each iteration"
        i = order[0]
        keep.append(i)
        order = order[1:][iou(boxes[i], boxes[order[1:]]) < limit]
    return torch.stack(keep)


def suppress_from_end(boxes, scores, limit=0.5):
    keep = []
    _, idx = scores.sort(0)
    while len(idx):  # want SAT325 "what is left of idx"
        i = idx[-1]
        keep.append(i)
        idx = idx[:-1]
        overlap = iou(boxes[i], boxes[idx])
        idx = idx[overlap.le(limit)]
    return torch.stack(keep)


def suppress_rows(rows, limit=0.5):
    out = []
    while rows.size(0):  # want SAT325 "what is left of rows"
        rest = iou(rows[0, :4], rows[:, :4]) < limit
        out.append(rows[0])
        rows = rows[rest]
    return torch.stack(out)


def suppress_on_host(boxes, scores, limit=0.5):
    boxes, order = boxes.cpu().numpy(), scores.cpu().numpy().argsort()[::-1]
    keep = []
    while order.size > 0:
        i = order[0]
        keep.append(i)
        lt = np.maximum(boxes[i, :2], boxes[order[1:], :2])
        order = order[1:][lt[:, 0] < limit]
    return keep


def in_turn(queue):  # tasks
    done = []
    while len(queue) > 0:
        task = queue[0]
        done.append(task)
        queue = queue[1:]
    return done


def train(loader, held_out):
    model = nn.Linear(64, 5).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        model.eval()
        with torch.no_grad():
            for x, y in held_out:
                rows = model(x.cuda())
                boxes, scores = rows[:, :4], rows[:, 4]
                print(suppress(boxes, scores), suppress_from_end(boxes, scores), suppress_rows(rows), suppress_on_host(boxes, scores))
                print(in_turn([1, 2, 3]))
        model.train()
