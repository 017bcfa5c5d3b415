class Registry(dict):
    def register(self, cls):
        self[cls.__name__] = cls
        return cls

    def build(self, settings, **more):
        settings = dict(settings)
        return self[settings.pop("type")](**settings, **more)


HOOKS, MODELS = Registry(), Registry()
