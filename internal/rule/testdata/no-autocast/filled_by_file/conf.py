import dataclasses
import json
import sys


@dataclasses.dataclass
class Conf:
    batch: int = 32
    amp: bool = False

    @classmethod
    def from_argv(cls):
        if len(sys.argv) > 1:
            with open(sys.argv[1]) as file:
                return cls(**json.load(file))
        return cls()
