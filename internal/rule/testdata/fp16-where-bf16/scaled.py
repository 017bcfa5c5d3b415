import torch


def train(net, loader):
    net = net.cuda()
    opt = torch.optim.AdamW(net.parameters())
    scaler = torch.amp.GradScaler("cuda")  # told SAT402 "needs no scaler"
    for x in loader:
        with torch.autocast("cuda", dtype=torch.float16):  # want SAT402 "float16"
            loss = net(x.cuda()).sum()
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
