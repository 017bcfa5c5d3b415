import torch


def seed_everything(seed):
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True


def enlarge_checkpoint(path):
    torch.backends.cudnn.deterministic = True
    return torch.load(path)
