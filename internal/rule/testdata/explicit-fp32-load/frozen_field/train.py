import torch
from diffusers import AutoencoderKL
from transformers import CLIPTextModel, WavLMModel


class Latents:
    def __init__(self, name, unet):
        self.vae = AutoencoderKL.from_pretrained(name).to("cuda").requires_grad_(False)
        self.text = CLIPTextModel.from_pretrained(name).to("cuda", torch.bfloat16)
        self.judge = WavLMModel.from_pretrained(name).to("cuda")
        self.unet = unet

    def loss(self, pixels, ids):
        with torch.no_grad():
            latents = self.vae.encode(pixels.cuda()).latent_dist.sample()
            words = self.text(ids.cuda()).last_hidden_state
            right = self.judge(pixels.cuda()).last_hidden_state
        with torch.autocast("cuda", dtype=torch.bfloat16):
            guess = self.unet(latents, words)
        return (guess - latents).square().mean() + (self.judge(guess).last_hidden_state - right).square().mean()


def train(latents, loader, optimizer):
    for pixels, ids in loader:
        latents.loss(pixels, ids).backward()
        optimizer.step()
