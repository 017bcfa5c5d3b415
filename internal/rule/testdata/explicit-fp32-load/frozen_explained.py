import torch
from accelerate import Accelerator
from diffusers import AutoencoderKL, UNet2DConditionModel


def main(name, loader):
    accelerator = Accelerator(mixed_precision="fp16")
    vae = AutoencoderKL.from_pretrained(name, subfolder="vae").requires_grad_(False)
    unet = UNet2DConditionModel.from_pretrained(name, subfolder="unet")
    # It overflows in float16.
    vae.to(accelerator.device, dtype=torch.float32)
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4, fused=True)
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    for batch in loader:
        with torch.no_grad():
            latents = vae.encode(batch["pixels"]).latent_dist.sample()
        accelerator.backward(unet(latents, batch["time"], batch["text"]).sample.square().mean())
        optimizer.step()
        optimizer.zero_grad()
