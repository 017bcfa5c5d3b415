import glob

import numpy as np
from data import Photos


def main():
    for i, photo in enumerate(Photos(glob.glob("*.jpg"))):
        np.save(f"{i}.npy", photo)


if __name__ == "__main__":
    main()
