import torch

from render import Renderer


class Runner:
    def __init__(self, data):
        self.data = data
        self.renderer = Renderer().cuda()
        self.optimizer = torch.optim.Adam(self.renderer.parameters())

    def train(self):
        for x in self.data:
            loss = self.renderer(x.cuda()).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


if __name__ == "__main__":
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    Runner(torch.load("rays.pt")).train()
