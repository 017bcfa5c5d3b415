"""Batches that are moved to the device in place, key by key, by a helper, or by themselves."""
import torch
from torch import nn
from torch.utils.data import DataLoader


def train_items(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        for k, v in batch.items():
            batch[k] = v.to("cuda")
        loss = model(batch["x"]).mean()
        loss.backward()
        optimizer.step()
        n = batch["mask"].sum().item()  # want SAT301 "waits for the GPU"


def train_keys(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        for k in batch:
            if isinstance(batch[k], torch.Tensor):
                batch[k] = batch[k].cuda()
        loss = model(batch["x"]).mean()
        loss.backward()
        optimizer.step()
        n = batch["mask"].sum().item()  # want SAT301 "waits for the GPU"


def train_lists(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        for k in batch:
            for j, item in enumerate(batch[k]):
                if torch.is_tensor(item):
                    batch[k][j] = batch[k][j].cuda()
        boxes = batch["boxes"]
        loss = model(batch["x"][0]).mean()
        loss.backward()
        optimizer.step()
        n = boxes[0].sum().item()  # want SAT301 "waits for the GPU"


def to_device(batch, device):
    if isinstance(batch, dict):
        return {k: to_device(v, device) for k, v in batch.items()}
    if isinstance(batch, (list, tuple)):
        return [to_device(v, device) for v in batch]
    if torch.is_tensor(batch):
        return batch.to(device)
    return batch


def train_helper(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        batch = to_device(batch, "cuda")
        loss = model(batch["x"]).mean()
        loss.backward()
        optimizer.step()
        n = batch["mask"].sum().item()  # want SAT301 "waits for the GPU"


def moved(batch, device):
    for k in batch.keys():
        batch[k] = batch[k].to(device)
    return batch


def train_returned(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        batch = moved(batch, "cuda")
        loss = model(batch["x"]).mean()
        loss.backward()
        optimizer.step()
        n = batch["mask"].sum().item()  # want SAT301 "waits for the GPU"


def train_places(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        for i in range(len(batch)):
            batch[i] = batch[i].cuda()
        x, mask = batch
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        n = mask.sum().item()  # want SAT301 "waits for the GPU"


def train_some(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        batch["x"] = batch["x"].cuda()
        batch["mask"] = batch["mask"].cuda()
        loss = model(batch["x"]).mean()
        loss.backward()
        optimizer.step()
        n = batch["mask"].sum().item()  # want SAT301 "waits for the GPU"
        kept = batch["host"].sum().item()  # stays where the loader made it


def train_mapped(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for x, y in loader:
        x, y = map(lambda t: t.cuda(), (x, y))
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        n = y.sum().item()  # want SAT301 "waits for the GPU"


def train_dict(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        inputs = {"x": batch[0].cuda(), "y": batch[1].cuda()}
        loss = model(inputs["x"]).mean()
        loss.backward()
        optimizer.step()
        n = inputs["y"].sum().item()  # want SAT301 "waits for the GPU"


def train_listed(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        batch = [t.cuda() if torch.is_tensor(t) else t for t in batch]
        x, y, name = batch
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        n = y.sum().item()  # want SAT301 "waits for the GPU"


def train_itself(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        batch.to("cuda")
        loss = model(batch.x).mean()
        loss.backward()
        optimizer.step()
        n = batch.y.sum().item()  # want SAT301 "waits for the GPU"


def train_asked(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        for key, value in batch.items():
            if isinstance(value, torch.Tensor):
                batch[key] = value.cuda(non_blocking=True)
        x, y = batch["x"], batch["y"]
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        n = y.sum().item()  # want SAT301 "waits for the GPU"


def load_to_gpu(data):
    for key, val in data.items():
        if key == "name":
            continue
        data[key] = torch.from_numpy(val).float().cuda()


def train_called(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        load_to_gpu(batch)
        x, y = batch["x"], batch["y"]
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        n = y.sum().item()  # want SAT301 "waits for the GPU"


def train_buffer(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    held = torch.zeros(4, 8)
    for i, batch in enumerate(loader):
        held[i % 4] = batch["x"][0].cuda()
        loss = model(batch["x"].cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        n = held.sum().item()  # a buffer of the host


def convert(data):
    if isinstance(data, list):
        for i, v in enumerate(data):
            if torch.is_tensor(v):
                data[i] = v.cuda(non_blocking=True)
    return data


def train_converted(loader: DataLoader, optimizer):
    model = nn.Linear(8, 8).cuda()
    for batch in loader:
        x, y = convert(batch)
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        n = y.sum().item()  # want SAT301 "waits for the GPU"
