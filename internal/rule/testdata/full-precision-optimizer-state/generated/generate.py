import torch
from model import Net

net = Net.from_hub("gpt2-xl")
net.eval()
with torch.no_grad():
    print(net(torch.zeros(8)))
