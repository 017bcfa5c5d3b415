import torch
from dassl.engine import TRAINER_REGISTRY, TrainerX


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4096, 4096)

    def forward(self, x):
        y = self.layer(x)
        return y / y.abs().max().item()  # want SAT301 "waits for the GPU"


@TRAINER_REGISTRY.register()
class Prompts(TrainerX):
    def build_model(self):
        self.model = Net().to("cuda")
        self.optim = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def forward_backward(self, batch):
        loss = torch.nn.functional.mse_loss(self.model(batch["img"]), batch["label"])
        self.model_backward_and_update(loss)
        return {"loss": loss.item()}  # want SAT301 "waits for the GPU"
