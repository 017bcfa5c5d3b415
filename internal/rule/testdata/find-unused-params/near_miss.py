from torch.nn.parallel import DistributedDataParallel


def wrap(model, rank, unused):
    a = DistributedDataParallel(model, device_ids=[rank])
    b = DistributedDataParallel(model, device_ids=[rank], find_unused_parameters=False)
    c = DistributedDataParallel(model, device_ids=[rank], find_unused_parameters=unused)
    return a, b, c
