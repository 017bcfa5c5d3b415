from torch import nn


def net00(size):
    return nn.Linear(size, 1)


def net01(size):
    return nn.Linear(size, 2)


def net02(size):
    return nn.Linear(size, 3)


def net03(size):
    return nn.Linear(size, 4)


def net04(size):
    return nn.Linear(size, 5)


def net05(size):
    return nn.Linear(size, 6)


def net06(size):
    return nn.Linear(size, 7)


def net07(size):
    return nn.Linear(size, 8)


def net08(size):
    return nn.Linear(size, 9)


def net09(size):
    return nn.Linear(size, 10)


def net10(size):
    return nn.Linear(size, 11)


def net11(size):
    return nn.Linear(size, 12)


def net12(size):
    return nn.Linear(size, 13)


def net13(size):
    return nn.Linear(size, 14)


def net14(size):
    return nn.Linear(size, 15)
