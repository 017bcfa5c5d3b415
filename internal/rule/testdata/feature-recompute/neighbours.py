import torch
import torch_cluster
from torch.utils.data import DataLoader, Dataset


class Proteins(Dataset):
    def __init__(self, chains):
        self.chains = chains

    def __len__(self):
        return len(self.chains)

    def __getitem__(self, i):
        with torch.no_grad():  # which data needs in training, too
            places = torch.as_tensor(self.chains[i]["places"])
            edges = torch_cluster.knn_graph(places, k=30)  # want SAT104 "computes the same for each sample"
        return places, edges


class TestMolecules(Dataset):
    def __init__(self, chains):
        self.chains = chains

    def __len__(self):
        return len(self.chains)

    def __getitem__(self, i):
        places = torch.as_tensor(self.chains[i]["places"])
        return places, torch_cluster.radius_graph(places, r=4.5)  # want SAT104 "computes the same for each sample"


class TestChains(Dataset):
    def __init__(self, chains):
        self.chains = chains

    def __len__(self):
        return len(self.chains)

    def __getitem__(self, i):
        places = torch.as_tensor(self.chains[i]["places"])
        return places, torch_cluster.radius_graph(places, r=4.5)


def train(model, chains, held_out, optimizer):
    model.cuda()
    parts = {"train": TestMolecules(chains), "test": TestChains(held_out)}
    for data in (Proteins(chains), parts["train"]):
        for x, edges in DataLoader(data, batch_size=1, num_workers=8, pin_memory=True):
            loss = model(x.cuda(non_blocking=True), edges.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    return [model(x.cuda(), edges.cuda()) for x, edges in DataLoader(parts["test"])]
