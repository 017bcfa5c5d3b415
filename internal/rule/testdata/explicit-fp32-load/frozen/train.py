# A frozen encoder that each step runs in float32, beside a model in half precision.
import torch
from accelerate import Accelerator
from diffusers import AutoencoderKL, UNet2DConditionModel
from transformers import CLIPTextModel, CLIPVisionModel


def main(name, loader, cast_type):
    accelerator = Accelerator(mixed_precision="fp16")
    vae = AutoencoderKL.from_pretrained(name, subfolder="vae").requires_grad_(False)
    text = CLIPTextModel.from_pretrained(name, subfolder="text_encoder")
    text.requires_grad_(False)
    other = AutoencoderKL.from_pretrained(name, subfolder="other").requires_grad_(False)
    unet = UNet2DConditionModel.from_pretrained(name, subfolder="unet")
    vae.to(accelerator.device, dtype=torch.float32)
    text.to(accelerator.device, dtype=torch.float16)
    image = CLIPVisionModel.from_pretrained(name).to(accelerator.device)
    cast = CLIPVisionModel.from_pretrained(name).to(accelerator.device, cast_type)
    other.to(accelerator.device, dtype=torch.float32)
    unet.to(accelerator.device, dtype=torch.float32)
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4, fused=True)
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    for batch in loader:
        with torch.no_grad():
            latents = vae.encode(batch["pixels"]).latent_dist.sample()
            context = text(batch["ids"])[0] + image(batch["pixels"])[0] + cast(batch["pixels"])[0]
        loss = unet(latents, batch["time"], context).sample.square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
