from torch.utils.data import DataLoader


def train(model, data, epochs, optimizer):
    loader = DataLoader(data, batch_size=16, num_workers=4)  # want SAT202 "torch 1.6.0 .requirements.txt. cannot keep them"
    for epoch in range(epochs):
        for x in loader:
            model(x).sum().backward()
            optimizer.step()
