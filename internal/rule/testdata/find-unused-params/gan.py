from torch.nn.parallel import DistributedDataParallel as DDP


def wrap(generator, discriminator):
    return DDP(generator, find_unused_parameters=True), DDP(discriminator, find_unused_parameters=True)
