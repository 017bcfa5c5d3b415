import torch


def one_by_one(net, other, loader):
    net = net.cuda()
    opt = torch.optim.Adam(net.parameters())
    for x, y in loader:
        out = net(x.cuda())
        opt.zero_grad()
        out.mean().backward(retain_graph=True)
        first = [p.grad.clone() for p in net.parameters()]
        other(out, y.cuda()).backward()
        opt.step()
        del first


def truncated(net, loader):
    net = net.cuda()
    opt = torch.optim.Adam(net.parameters())
    state = torch.zeros(1, 8, device="cuda")
    for i, x in enumerate(loader):
        out, state = net(x.cuda(), state)
        opt.zero_grad()
        out.mean().backward(retain_graph=i % 4 != 0)
        opt.step()
        if i % 4 == 0:
            state = state.detach()
