import torch

import loop
import utils

model = torch.nn.TransformerEncoderLayer(512, 8).cuda()
first = torch.optim.AdamW(model.parameters(), lr=1e-4)  # want SAT406 "not fused"
loop.train(model, [], first)
loop.train(model, [], utils.make(model))
