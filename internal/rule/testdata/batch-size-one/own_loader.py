from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __getitem__(self, i):
        return open(self.paths[i]).read()


class Speakers(DataLoader):
    def __init__(self, dataset, speakers):
        super().__init__(dataset, batch_size=speakers)


def train(model, optimizer):
    counted = DataLoader(Clips())
    print(len(counted))
    for x in Speakers(Clips(), 64):
        model(x.cuda()).sum().backward()
        optimizer.step()
