"""The weights are read by their place among the results."""
from torch import nn
from transformers import BertModel


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.text = BertModel.from_pretrained("bert-base-uncased", output_attentions=True)

    def forward(self, x):
        out = self.text(inputs_embeds=x)
        return out[0].mean() + out[2].mean()


def train(loader, optimizer):
    model = Tagger().cuda()
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
