import torch


def fix(seed):
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True  # want SAT413 "cuDNN is restricted to"
