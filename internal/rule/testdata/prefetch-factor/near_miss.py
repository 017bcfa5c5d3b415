from torch.utils.data import DataLoader


def train(model, data, factor, optimizer):
    default = DataLoader(data, num_workers=4)
    more = DataLoader(data, num_workers=4, prefetch_factor=4)
    unknown = DataLoader(data, num_workers=4, prefetch_factor=factor)
    none = DataLoader(data, prefetch_factor=1)
    val_loader = DataLoader(data, num_workers=4, prefetch_factor=1)
    for x in default:
        model(x.cuda()).sum().backward()
        optimizer.step()
    return more, unknown, none, val_loader
