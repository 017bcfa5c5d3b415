import torch
from diffusers import AutoencoderKL
from sentence_transformers import SentenceTransformer
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModel, pipeline

captions = pipeline("image-to-text")


class Latents(Dataset):
    def __init__(self, images, texts):
        self.images = images
        self.texts = texts
        self.vae = AutoencoderKL.from_pretrained("stabilityai/sd-vae").to("cuda")
        self.bert = AutoModel.from_pretrained("bert-base-uncased")
        self.embedder = SentenceTransformer("all-MiniLM-L6-v2")

    def __getitem__(self, i):
        with torch.no_grad():
            latent = self.vae.encode(self.images[i])  # want SAT105 "while"
        return latent, self.text(self.texts[i]), captions(self.images[i])  # want SAT105 "neural network runs"

    def text(self, text):
        hidden = self.bert(text)  # want SAT105 "while loading data"
        return hidden, self.embedder.encode(text)  # want SAT105 "while"

    def __len__(self):
        return len(self.images)


loader = DataLoader(Latents([], []))
