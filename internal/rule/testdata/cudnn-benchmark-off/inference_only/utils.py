import torch


def seed_everything(seed):
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True


def enlarge_checkpoint(path):
    torch.backends.cudnn.deterministic = True
    return torch.load(path)


if __name__ == "__main__":
    torch.backends.cudnn.deterministic = True
    enlarge_checkpoint("model.pt")
