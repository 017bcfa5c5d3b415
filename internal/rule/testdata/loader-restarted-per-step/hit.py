from torch.utils.data import DataLoader


def train(model, data, steps, optimizer):
    loader = DataLoader(data, num_workers=4, shuffle=True)
    for step in range(steps):
        x = next(iter(loader))  # want SAT212 "restarted for every batch"
        model(x).sum().backward()
        optimizer.step()


class Trainer:
    def get_batch(self):
        return next(iter(self.train_dataloader))  # want SAT212 "restarted for every batch"

    def fit(self, model, optimizer, steps):
        for _ in range(steps):
            loss = model(self.get_batch()).sum()
            loss.backward()
            optimizer.step()
