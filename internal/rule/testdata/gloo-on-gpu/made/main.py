from lib.engine import train


def main(model, loader, optimizer):
    train(model, loader, optimizer, 0)  # want SAT604 "go through the host"


if __name__ == "__main__":
    main(None, None, None)
