import torch
from absl import app, flags
from torch.utils.data import DataLoader

FLAGS = flags.FLAGS
flags.DEFINE_integer("workers", 4, help="processes that load")


def forever(loader):
    while True:
        for x in iter(loader):
            yield x


def train(argv):
    loader = DataLoader(open_data(), shuffle=True, num_workers=FLAGS.workers)  # want SAT202 "restarted"
    batches = forever(loader)
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(100000):
        loss = model(next(batches).cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


app.run(train)
