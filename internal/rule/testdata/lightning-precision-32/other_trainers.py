import torch
import torchvision
from composer import Trainer
from composer.models import ComposerClassifier
from ignite.engine import create_supervised_trainer


def compose(loader):
    model = ComposerClassifier(torchvision.models.resnet50(), num_classes=10)
    Trainer(model=model, train_dataloader=loader, max_duration="9ep", device="gpu", precision="fp32").fit()  # want SAT702 "float32"
    Trainer(model=model, train_dataloader=loader, max_duration="9ep", device="gpu").fit()


def ignite(loader):
    model = torchvision.models.resnet50().to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    trainer = create_supervised_trainer(model, optimizer, torch.nn.functional.cross_entropy, device="cuda")  # want SAT702 "float32"
    trainer.run(loader, max_epochs=9)
    other = create_supervised_trainer(model, optimizer, torch.nn.functional.cross_entropy, device="cuda", amp_mode="amp", scaler=True)
    other.run(loader, max_epochs=9)
