import torch


def main(loader):
    torch.set_float32_matmul_precision("highest")  # want SAT404 "TF32 is switched off"
    net = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024)).to("cuda")
    opt = torch.optim.AdamW(net.parameters())
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(net(x.to("cuda")), y.to("cuda"))
        opt.zero_grad()
        loss.backward()
        opt.step()
