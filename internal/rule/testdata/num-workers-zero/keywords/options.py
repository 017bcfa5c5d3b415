class Options:
    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)


options = Options(
    batch_size=16,
    num_workers=0,
)
