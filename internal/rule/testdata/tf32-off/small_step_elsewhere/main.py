import torch

from agent import Learner

learner = Learner(None)
for step in range(1000):
    learner.update(torch.randn(256, 1024, device="cuda"))
