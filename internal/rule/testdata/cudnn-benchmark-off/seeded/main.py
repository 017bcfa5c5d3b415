import loop
import seeds

if __name__ == "__main__":
    seeds.fix(1)
    loop.train([], None)
