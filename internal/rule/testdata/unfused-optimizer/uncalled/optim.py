import torch


def plain(model):
    return torch.optim.Adam(model.parameters(), lr=0.1)  # want SAT406 "not fused"


def old(model):  # nothing calls it
    return torch.optim.Adam(model.parameters(), lr=0.1)


class Old:  # nothing makes it
    def made(self, model):
        return torch.optim.Adam(model.parameters(), lr=0.1)
