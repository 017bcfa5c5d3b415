import utils


class Speaker:
    def say(self, text, seed):
        utils.seed_everything(seed)
        return self.model(text)
