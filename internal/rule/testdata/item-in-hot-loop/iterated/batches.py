import torch


class Lengths:
    def __init__(self, tensors):
        self.at, self.tensors = 0, tensors

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        size = torch.ones(3, device="cuda").sum().item()  # want SAT301 "waits for the GPU in every step"
        return self.tensors[int(size) % len(self.tensors)]


class Batches:
    def __init__(self, tensors):
        self.lengths = Lengths(tensors)

    def __iter__(self):
        for x in self.lengths:
            yield x.cuda(non_blocking=True)


class Unasked:
    """Nothing goes over it."""

    def __iter__(self):
        return self

    def __next__(self):
        return torch.ones(3, device="cuda").sum().item()
