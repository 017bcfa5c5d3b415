import os

import cv2
from torch.utils.data import Dataset


class Photos(Dataset):
    def __init__(self, root, files):
        self.files = files
        self.mask_path = os.path.join(root, "mask.png")

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        photo = cv2.imread(self.files[i])
        mask = cv2.imread(self.mask_path, cv2.IMREAD_GRAYSCALE)  # want SAT106 "the same file"
        return cv2.bitwise_and(photo, photo, mask=mask)
