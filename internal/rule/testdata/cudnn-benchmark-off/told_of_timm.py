import torch
from torch.utils.data import DataLoader
import timm
from torchvision import datasets, transforms

torch.backends.cudnn.benchmark = False  # want SAT413 "told not to measure"

data = datasets.CIFAR10("data", transform=transforms.ToTensor())
model = timm.create_model("convnext_tiny", num_classes=10).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(data, batch_size=128, shuffle=True):
    loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
