import torch
from torch import nn


class Speaker(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(80, 512)
        self.out = nn.Linear(512, 81)

    def forward(self, frames):
        hidden = frames.new_zeros(frames.size(0), 512)
        outs = []
        for frame in frames.unbind(1):
            hidden = self.cell(frame, hidden)
            outs.append(self.out(hidden))
        return torch.stack(outs, 1)

    def decode(self, frame, hidden):
        hidden = self.cell(frame, hidden)
        return self.out(hidden), hidden

    def infer(self, frame):
        hidden = frame.new_zeros(frame.size(0), 512)
        outs = []
        while True:
            out, hidden = self.decode(frame, hidden)
            outs.append(out)
            if out[0, 80] > 0:
                break
            frame = out[:, :80]
        return torch.stack(outs, 1)


def train(loader, optimizer):
    model = Speaker().cuda()
    step = 0
    for x, y in loader:
        loss = (model(x.cuda()) - y.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step % 500 == 0:
            model.eval()
            with torch.no_grad():
                spoken = model.infer(x[:1, 0].cuda())  # want SAT706 "once in 500 steps"
            torch.save(spoken, "spoken.pt")
            model.train()
