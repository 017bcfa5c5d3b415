class Runner:
    def __init__(self, kind):
        self.kind = kind

    def run(self, model, optimizer, loader):
        self.kind(self.kind.train, model, optimizer).run(loader, max_epochs=10)
