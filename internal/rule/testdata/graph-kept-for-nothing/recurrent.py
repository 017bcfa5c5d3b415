import torch


def train(net, loader):
    net = net.cuda()
    opt = torch.optim.Adam(net.parameters())
    state = torch.zeros(1, 8, device="cuda")
    for x in loader:
        out, state = net(x.cuda(), state)
        loss = out.mean()
        opt.zero_grad()
        loss.backward(retain_graph=True)  # want SAT514 "is not detached"
        opt.step()
