import torch
import torch.nn as nn
from rdkit import Chem
from sklearn.neighbors import NearestNeighbors
from torch.utils.data import DataLoader
from torch.utils.data import Dataset as Rows
from torch_geometric.data import Data, Dataset


def graph(smiles):
    mol = Chem.MolFromSmiles(smiles)  # want SAT104 "computes the same for each sample"
    return Data(x=torch.tensor([a.GetAtomicNum() for a in mol.GetAtoms()]))


class Molecules(Dataset):
    def __init__(self, rows):
        super().__init__()
        self.rows = rows

    def len(self):
        return len(self.rows)

    def get(self, i):
        return graph(self.rows[i])


class Prepared(Dataset):
    def __init__(self, rows):
        super().__init__()
        self.graphs = [Chem.MolFromSmiles(r) for r in rows]

    def len(self):
        return len(self.graphs)

    def get(self, i):
        return self.graphs[i]


class Clouds(Rows):
    def __init__(self, clouds):
        self.clouds = clouds

    def __len__(self):
        return len(self.clouds)

    def __getitem__(self, i):
        near = NearestNeighbors(n_neighbors=16).fit(self.clouds[i])  # want SAT104 "computes the same for each sample"
        return near.kneighbors(self.clouds[i])[1]


def train(rows, clouds):
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for data in (Molecules(rows), Prepared(rows), Clouds(clouds)):
        for x in DataLoader(data, batch_size=64, num_workers=8):
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
