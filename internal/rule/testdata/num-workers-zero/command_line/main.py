from data import Clips
from lightning.pytorch.cli import LightningCLI
from model import Tagger

if __name__ == "__main__":
    LightningCLI(Tagger, Clips)
