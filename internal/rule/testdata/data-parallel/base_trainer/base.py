import torch


class BaseTrainer:
    def __init__(self, model, optimizer):
        self.model = model.to("cuda")
        self.teacher = model.to("cuda")
        if torch.cuda.device_count() > 1:
            self.model = torch.nn.DataParallel(self.model)  # want SAT601 "one process"
        self.optimizer = optimizer

    def train(self):
        for epoch in range(10):
            self.train_epoch()
