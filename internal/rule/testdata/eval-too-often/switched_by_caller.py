import torch


def validate(opts, model, loader, device, metrics):
    metrics.reset()
    with torch.no_grad():
        for images, labels in loader:
            outputs = model(images.to(device))
            metrics.update(labels, outputs.argmax(1))
    return metrics.results()


def main(opts, model, optimizer, criterion, train_loader, val_loader, device, metrics):
    model = model.cuda()
    step = 0
    while True:
        model.train()
        for images, labels in train_loader:
            step += 1
            loss = criterion(model(images.to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 100 == 0:
                model.eval()
                score = validate(opts=opts, model=model, loader=val_loader, device=device, metrics=metrics)  # want SAT707 "training stops for evaluation every 100 steps"
                model.train()
            if step % 5000 == 0:
                model.eval()
                validate(opts, model, val_loader, device, metrics)
                model.train()
            if step >= opts.steps:
                return score
