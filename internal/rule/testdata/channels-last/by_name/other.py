import torch

import wrapped


def train(loader):
    model = vars(wrapped)["Segments"]().cuda()  # want SAT415 "tensor cores must transpose"
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for x in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
