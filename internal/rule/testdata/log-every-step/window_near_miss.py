import matplotlib
import matplotlib.pyplot as plt

matplotlib.use("Agg")


def train(model, loader, optimizer):
    model.cuda()
    for epoch in range(100):
        for x in loader:
            loss = model(x.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        plt.plot([1, 2])
        plt.show()  # without a window
