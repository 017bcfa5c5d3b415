import torch

model = torch.nn.Linear(784, 10).cuda()
print(model)
