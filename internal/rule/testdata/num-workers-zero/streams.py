import torch
from datasets import load_dataset
from torch.utils.data import DataLoader, IterableDataset
from torch_geometric.loader import NeighborLoader
from transformers import AutoTokenizer


class Packed(IterableDataset):
    def __init__(self, name, length):
        self.texts, self.length = load_dataset(name, split="train", streaming=True), length
        self.tokenizer = AutoTokenizer.from_pretrained("gpt2")

    def __iter__(self):
        ids = []
        for row in self.texts:
            ids += self.tokenizer(row["text"]).input_ids
            while len(ids) > self.length:
                yield torch.tensor(ids[: self.length])
                ids = ids[self.length :]


class Lines(IterableDataset):
    def __iter__(self):
        yield from open("ids.txt")


def train(net, optimizer):
    net.cuda()
    for ids in DataLoader(Packed("wiki", 512), batch_size=8, pin_memory=True):  # want SAT201 "in the training process"
        net(ids.cuda()).mean().backward()
        optimizer.step()


def train_lines(net, optimizer):
    for ids in DataLoader(Lines(), batch_size=8, pin_memory=True):
        net(ids).mean().backward()
        optimizer.step()


def train_graph(net, data, optimizer):
    for batch in NeighborLoader(data, num_neighbors=[10, 5], batch_size=512):  # want SAT201 "in the training process"
        net(batch.x.cuda(), batch.edge_index.cuda()).mean().backward()
        optimizer.step()
