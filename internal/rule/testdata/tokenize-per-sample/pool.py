import random

from torch.utils.data import DataLoader, IterableDataset
from transformers import AutoTokenizer


class Pairs(IterableDataset):
    def __init__(self, lines, noisy):
        self.lines, self.noisy = lines, noisy
        self.tok = AutoTokenizer.from_pretrained("gpt2")

    def ready(self, line):
        return self.tok(line, truncation=True, max_length=64).input_ids  # want SAT111 "one by one"

    def __iter__(self):
        pool = []
        for line in self.lines:
            pool.append(line)
            if len(pool) > 100:
                k = random.randrange(len(pool))
                pool[k], pool[-1] = pool[-1], pool[k]
                yield self.ready(pool.pop())


def main(net, opt, lines):
    net = net.cuda()
    for batch in DataLoader(Pairs(lines, False), batch_size=8, num_workers=2):
        net(batch.cuda()).sum().backward()
        opt.step()
