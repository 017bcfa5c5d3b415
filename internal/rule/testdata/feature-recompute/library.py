import random

import cv2
import networkx as nx
import numpy as np
import scipy.signal
from rdkit import Chem
from rdkit.Chem import AllChem
from skimage.feature import hog
from torch.utils.data import Dataset


def cleaned(wav, b, a):
    return scipy.signal.filtfilt(b, a, wav)  # want SAT104 "scipy.signal.filtfilt computes the same"


class Items(Dataset):
    def __init__(self, rows, graph):
        self.rows = rows
        self.b, self.a = scipy.signal.butter(4, 0.1)
        self.paths = dict(nx.all_pairs_shortest_path_length(graph))

    def __getitem__(self, i):
        row = self.rows[i]
        fingerprint = AllChem.GetMorganFingerprintAsBitVect(Chem.MolFromSmiles(row.smiles), 2)  # want SAT104 "computes the same"
        edges = hog(cv2.imread(row.image, 0))  # told SAT104 "and here"
        values = np.linalg.eigh(row.adjacency)  # told SAT104 "and here"
        shift = random.randint(0, 10)
        moved = cv2.bilateralFilter(np.roll(row.picture, shift), 5, 50, 50)
        return fingerprint, edges, values, moved, cleaned(row.wav, self.b, self.a)

    def __len__(self):
        return len(self.rows)
