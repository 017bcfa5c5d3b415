import hydra
import torch


@hydra.main(config_path="conf", config_name="config")
def main(cfg):
    net = torch.nn.Linear(8, 8).cuda()
    opt = hydra.utils.instantiate(cfg.optim, params=net.parameters())
    for x in torch.randn(10, 4, 8):
        net(x.cuda()).sum().backward()
        opt.step()
