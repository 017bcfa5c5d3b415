from data import loader, net
from optim import Old, plain


def main():
    model = net().cuda()
    optimizer = plain(model)
    for x, y in loader():
        loss = (model(x.cuda()) - y.cuda()).pow(2).mean()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
