from torch.nn.parallel import DistributedDataParallel


def train(net, sets, rank):
    sizes = {s: len(d) for s, d in sets.items()}
    model = DistributedDataParallel(net.cuda(rank), find_unused_parameters=True)  # want SAT603 "unused parameters"
    for x in sets["train"]:
        model(x.cuda()).sum().backward()
    return sizes
