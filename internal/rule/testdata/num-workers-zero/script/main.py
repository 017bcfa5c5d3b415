from torch.utils.data import DataLoader

from clips import Clips
from loop import fit

train_loader = DataLoader(Clips("train"), batch_size=16)  # want SAT201 "in the training process"
val_loader = DataLoader(Clips("validation"), batch_size=16)
fit(train_loader, val_loader)
