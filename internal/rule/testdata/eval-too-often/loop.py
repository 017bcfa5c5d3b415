import torch


def evaluate(model, loader):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += (model(x.cuda()) - y.cuda()).square().mean()
    model.train()
    return total


@torch.inference_mode()
def validate(model, batches):
    model.eval()
    return [model(x.cuda()) for x in batches] and sum(float(model(x.cuda()).mean()) for x in batches)


class Trainer:
    def evaluate(self):
        self.model.eval()
        with torch.no_grad():
            for x in self.validation:
                self.model(x.cuda())

    def fit(self):
        for x in self.loader:
            self.optimizer.zero_grad()
            self.model(x.cuda()).mean().backward()
            self.optimizer.step()
            self.step += 1
            if self.step % 25 == 0:
                self.evaluate()  # want SAT707 "every 25 steps: self.evaluate"


def train(model, loader, validation, optimizer):
    for step, (x, y) in enumerate(loader):
        loss = (model(x.cuda()) - y.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        evaluate(model, validation)  # want SAT707 "every step: evaluate"


def train_often(model, loader, validation, optimizer, every=20):
    for step, (x, y) in enumerate(loader):
        loss = (model(x.cuda()) - y.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step > 0 and step % 10 == 0:
            print(evaluate(model, validation))  # want SAT707 "every 10 steps: evaluate"


def train_inline(model, loader, validation, optimizer):
    step = 0
    for x, y in loader:
        loss = (model(x.cuda()) - y.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if not step % 5:
            model.eval()
            with torch.no_grad():
                for a in validation:  # want SAT707 "every 5 steps: a loop over a validation set"
                    print(model(a.cuda()).mean())
            model.train()


def train_at_hundred(model, loader, validation, optimizer, every=100):
    for step, (x, y) in enumerate(loader):
        loss = (model(x.cuda()) - y.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % every == 0:
            print(evaluate(model, validation))  # want SAT707 "every 100 steps: evaluate"
