import torch

from conf import Conf


class Session:
    def __init__(self, conf: Conf, net):
        self.conf = conf
        self.net = net.to("cuda")
        self.opt = torch.optim.AdamW(self.net.parameters())

    def epoch(self, loader):
        for x, y in loader:
            with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self.conf.amp):
                loss = torch.nn.functional.mse_loss(self.net(x.to("cuda")), y.to("cuda"))  # want SAT401 "switched off"
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


def main(net, loader):
    Session(Conf.from_argv(), net).epoch(loader)
