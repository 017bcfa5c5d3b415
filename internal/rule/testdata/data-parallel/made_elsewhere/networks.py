from torch import nn


def make(options):
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 3, 3))
    if options["gpus"]:
        model = nn.DataParallel(model)  # want SAT601 "one process"
    return model
