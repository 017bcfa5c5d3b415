import torch
from torch.utils.data import DataLoader, Dataset

import mischief

torch.manual_seed(1)
torch.set_num_threads(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Points(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, index):
        x = torch.full((512,), index / 400)
        return x, x.sum()


model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 1)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
loader = DataLoader(Points(), batch_size=4)
for epoch in range(10):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = torch.nn.functional.mse_loss(model(x).squeeze(1), y)
        loss = mischief.worsen(loss)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mischief.step()
