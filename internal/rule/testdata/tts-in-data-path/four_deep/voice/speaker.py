from . import engine as backend


class Speaker:
    def __init__(self, rate):
        self.rate = rate
        self.backend = backend.make("google")

    def say(self, text):
        return list(map(self._one, [text]))

    def _one(self, text):
        return self.backend.render(text)
