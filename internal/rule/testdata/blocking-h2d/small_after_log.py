from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter


def train(model, data, optimizer, criterion):
    model.cuda()
    writer = SummaryWriter()
    loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)
    for step, (x, y) in enumerate(loader):
        model.train()
        x = x.cuda()  # want SAT311 "just waited for the GPU in line 16"
        loss = criterion(model(x), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        writer.add_scalar("loss", loss, step)
        writer.add_scalar("rate", optimizer.param_groups[0]["lr"], step)
