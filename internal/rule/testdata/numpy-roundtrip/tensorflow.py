import tensorflow as tf
import torch
from torch.utils.data import Dataset


class Records(Dataset):
    def __getitem__(self, i):
        return torch.tensor(tf.io.decode_raw(self.records[i], tf.float32).numpy())
