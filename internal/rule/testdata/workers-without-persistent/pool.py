"""An iterator of the project's own that starts processes each time it is begun."""
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import torch


def prepare(row):
    return torch.tensor(row)


class Own(ProcessPoolExecutor):
    pass


class Rows:
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        with Own(max_workers=8) as pool:  # want SAT202 "worker processes are started again"
            yield from pool.map(prepare, self.rows)


class Forked:
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        pool = get_context("spawn").Pool(8)  # want SAT202 "worker processes are started again"
        for row in pool.imap(prepare, self.rows):
            yield row


class Kept:
    def __init__(self, rows):
        self.rows = rows
        self.pool = ProcessPoolExecutor(8)

    def __iter__(self):
        yield from self.pool.map(prepare, self.rows)


def train(model, rows, optimizer):
    model.cuda()
    first, second, third = Rows(rows), Forked(rows), Kept(rows)
    for epoch in range(10):
        for x in first:
            model(x.cuda()).mean().backward()
            optimizer.step()
        for x in second:
            model(x.cuda()).mean().backward()
            optimizer.step()
        for x in third:
            model(x.cuda()).mean().backward()
            optimizer.step()
