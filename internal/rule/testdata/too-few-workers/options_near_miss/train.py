import soundfile
import torch
from torch.utils.data import DataLoader, Dataset

import options


class Clips(Dataset):
    def __getitem__(self, i):
        return torch.from_numpy(soundfile.read(self.files[i])[0])


def main(model, optimizer):
    args = options.parse()
    model.cuda()
    loader = DataLoader(Clips(), batch_size=args.batch_size, num_workers=args.workers, shuffle=True)
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
