import torch
from torch import nn


def run(loaders):
    model = nn.Linear(64, 30).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for phase in ["train", "valid"]:
            model.train(phase == "train")
            hits = []
            for x, y in loaders[phase]:
                with torch.set_grad_enabled(phase == "train"):
                    scores = model(x.cuda())
                    loss = nn.functional.cross_entropy(scores, y.cuda())
                    if phase == "valid":
                        hits.append(scores.argmax(1).cpu())  # want SAT325 "after each batch, beside the training steps"
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                        optimizer.zero_grad(set_to_none=True)
            print(len(hits))
