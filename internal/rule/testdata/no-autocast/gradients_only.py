import torch


def saliency(model, images):
    model.cuda()
    for image in images:
        image.requires_grad_()
        out = model(image.cuda())
        out.max().backward()
        yield image.grad
