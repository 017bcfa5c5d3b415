import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4), 2)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(64, 4), 2)
        self.register_buffer("causal", nn.Transformer.generate_square_subsequent_mask(50))

    def forward(self, x, y):
        memory = self.encoder(x, self.causal)  # want SAT324 "self.encoder waits for the GPU in every step"
        memory = self.encoder(memory, mask=self.causal, is_causal=True)
        memory = self.encoder(memory, src_key_padding_mask=None)
        return self.decoder(y, memory, tgt_mask=self.causal, tgt_is_causal=True)


def train(loader, optimizer):
    net = Net().cuda()
    for x, y in loader:
        loss = net(x.cuda(), y.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(net.state_dict(), "last.pt")
