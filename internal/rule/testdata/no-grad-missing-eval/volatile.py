"""Before torch 0.4, this was how to evaluate without gradients."""
from torch.autograd import Variable


def evaluate(model, loader):
    model.eval()
    for x in loader:
        model(Variable(x.cuda(), volatile=True))
