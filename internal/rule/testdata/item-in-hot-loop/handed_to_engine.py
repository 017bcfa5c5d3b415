import torch
from ignite.engine import Engine
from torch.utils.data import DataLoader


def main():
    model = torch.nn.Linear(4096, 4096).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def update(engine, batch):
        x, y = batch
        loss = torch.nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()  # want SAT301 "waits for the GPU"

    def show(engine):
        print(model.weight.sum().item())

    trainer = Engine(update)
    trainer.run(DataLoader(torch.load("data.pt"), batch_size=64, pin_memory=True), max_epochs=100)


main()
