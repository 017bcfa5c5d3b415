import torch


def accuracy(classifier, loader):
    classifier.eval()
    right = 0
    for x, y in loader:
        right += (classifier(x.cuda()).argmax(1) == y.cuda()).sum()  # want SAT512 "never computed"
    return right


