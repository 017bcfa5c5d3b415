import torch


def train(net, criterion, optimizer, loader):
    net.cuda()
    place_loss = class_loss = 0
    for images, targets in loader:
        out = net(images.cuda())
        loss_l, loss_c = criterion(out, targets)
        loss = loss_l + loss_c
        loss.backward()
        optimizer.step()
        place_loss += loss_l.data[0]  # want SAT301 "waits for the GPU"
        class_loss += loss_c.data[0]
        first = out.data[0]  # a row, which stays where it is
    return place_loss, class_loss, first
