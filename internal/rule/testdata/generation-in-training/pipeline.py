"""Pipelines of diffusers between training steps."""

import torch
from diffusers import DDIMScheduler, DDPMPipeline, UNet2DModel


def show(unet, scheduler, step):
    pipe = DDPMPipeline(unet=unet, scheduler=scheduler)
    images = pipe(batch_size=4, num_inference_steps=500).images
    images[0].save(f"{step}.png")


def glance(unet, scheduler):
    return DDPMPipeline(unet=unet, scheduler=scheduler)(batch_size=1, num_inference_steps=20).images


def train(loader, unet: UNet2DModel, rank, every=200):
    unet.cuda()
    scheduler = DDIMScheduler()
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)
    for step, (x, noise) in enumerate(loader):
        loss = (unet(x.cuda(), step).sample - noise.cuda()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and step and step % every == 0:
            show(unet, scheduler, step)  # want SAT706 "every 200 steps for 500 denoising steps"
        if step % 5000 == 0:
            glance(unet, scheduler)
