import torch
from torch.utils.data import DataLoader

from sets import Pictures


def train(args, model, optimizer):
    """Whether a loader has workers is decided by what is put into its options later."""
    cuda = torch.cuda.is_available()
    fast = {"num_workers": 1, "pin_memory": True, "shuffle": True}
    maybe = {"batch_size": args.batch_size}
    always = {"batch_size": 8, "num_workers": 0}
    never = {"batch_size": 8, "num_workers": 4}
    hidden = {"batch_size": 8, **args.options}
    if cuda:
        maybe.update(fast)
    always.update(fast)
    never["num_workers"] = 0
    given = DataLoader(Pictures(), **maybe)
    updated = DataLoader(Pictures(), **always)
    off = DataLoader(Pictures(), **never)  # want SAT201 "in the training process"
    unpacked = DataLoader(Pictures(), **hidden)
    model.to("cuda" if cuda else "cpu")
    for x in given:
        model(x.cuda()).mean().backward()
        optimizer.step()
    return updated, off, unpacked
