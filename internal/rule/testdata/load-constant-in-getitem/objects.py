# Classes of libraries that read the file whose path they are given.
import os
import zipfile

from PIL import Image
from pycocotools.coco import COCO
from torch.utils.data import Dataset


class Boxes(Dataset):
    def __init__(self, root, split):
        self.root = root
        self.file = os.path.join(root, f"instances_{split}.json")
        self.ids = sorted(COCO(self.file).imgs)

    def __getitem__(self, i):
        coco = COCO(self.file)  # want SAT106 "the same file"
        return coco.loadAnns(coco.getAnnIds(imgIds=self.ids[i]))


class Zipped(Dataset):
    def __init__(self, archive="photos.zip"):
        self.archive = archive
        with zipfile.ZipFile(archive) as z:
            self.names = z.namelist()

    def __getitem__(self, i):
        with zipfile.ZipFile(self.archive) as z:  # want SAT106 "the same file"
            return Image.open(z.open(self.names[i]))


class Kept(Dataset):
    def __init__(self, archive="photos.zip"):
        self.archive, self.handle = archive, None

    def __getitem__(self, i):
        if self.handle is None:
            self.handle = zipfile.ZipFile(self.archive)
        return Image.open(self.handle.open(str(i)))


class Own(Dataset):
    def __init__(self, folder, archives):
        self.folder, self.archives = folder, archives

    def __getitem__(self, i):
        with zipfile.ZipFile(os.path.join(self.folder, self.archives[i])) as z:
            return z.namelist()
