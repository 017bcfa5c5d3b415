import timm
import torch
import torchvision


def train(loader, optimizer, criterion):
    model = torchvision.models.resnet50().cuda()  # want SAT415 "must transpose"
    other = timm.create_model("convnext_tiny", pretrained=True).cuda()  # want SAT415 "must transpose"
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(x.cuda()), y.cuda()) + criterion(other(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
