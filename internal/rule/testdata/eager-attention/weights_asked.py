"""The weights of every layer are asked for, and only the hidden states are read."""
from torch import nn
from transformers import BertModel, GPT2Config, GPT2Model


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.config = GPT2Config.from_pretrained("gpt2")
        self.config.output_attentions = True  # want SAT410 "nothing reads them"
        self.config.output_hidden_states = True
        self.body = GPT2Model.from_pretrained("gpt2", config=self.config)
        self.text = BertModel.from_pretrained("bert-base-uncased", output_attentions=True)

    def forward(self, x):
        return self.body(inputs_embeds=x).last_hidden_state + self.text(inputs_embeds=x)[0]


def train(loader, optimizer):
    model = Forecaster().cuda()
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
