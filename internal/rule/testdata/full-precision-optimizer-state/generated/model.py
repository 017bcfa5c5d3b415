import torch
from transformers import AutoModelForCausalLM


class Net(torch.nn.Linear):
    @classmethod
    def from_hub(cls, name):
        theirs = AutoModelForCausalLM.from_pretrained(name)
        net = cls(8, 8)
        net.load_state_dict(theirs.state_dict())
        return net


def optimizer(net):
    return torch.optim.AdamW(net.parameters())
