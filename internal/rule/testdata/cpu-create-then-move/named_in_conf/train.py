"""Gets its model by the dotted name that a file of settings holds, in a language of which only the names are read."""

import torch
from pyhocon import ConfigFactory

import general


def main(loader):
    conf = ConfigFactory.parse_file("confs/base.conf")
    model = general.get_class(conf.get_string("train.model_class"))(conf).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
