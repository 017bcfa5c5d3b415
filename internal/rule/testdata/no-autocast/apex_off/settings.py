class TrainSettings:
    def __init__(self, steps: int, mixed: bool):
        self.steps = steps
        self.mixed = mixed
