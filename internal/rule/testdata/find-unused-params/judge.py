from torch.nn.parallel import DistributedDataParallel


def train(netG, netD, loader, rank):
    model = DistributedDataParallel(netG.cuda(rank), find_unused_parameters=True)
    for x in loader:
        netD(model(x.cuda())).sum().backward()
