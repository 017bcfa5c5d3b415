from types import SimpleNamespace
from typing import Any

import yaml


def node(value: Any) -> Any:
    if isinstance(value, dict):
        return SimpleNamespace(**{k: node(v) for k, v in value.items()})
    return value


def read(path: str) -> SimpleNamespace:
    with open(path) as f:
        return node(yaml.safe_load(f))
