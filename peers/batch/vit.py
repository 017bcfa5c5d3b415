"""ViT-B/16 with random weights."""

import torch
from transformers import ViTConfig, ViTForImageClassification

import common

o = common.options(16)
config = ViTConfig(num_labels=1000, image_size=224) if not o.tiny else ViTConfig(num_labels=10, image_size=64, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128)
model = ViTForImageClassification(config).to(common.device)
pool = torch.randn(16, 3, config.image_size, config.image_size, device=common.device)


def loss(batch):
    at = batch.to(common.device) % 16
    return torch.nn.functional.cross_entropy(model(pixel_values=pool[at]).logits.float(), at % 10)


common.train(o, model, loss, common.Seeds(o.samples))
