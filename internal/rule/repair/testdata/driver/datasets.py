"""Stands in for datasets, as far as it is called here: rows in memory, columns read whole, map by row or by batch."""
import json


class Dataset:
    def __init__(self, columns):
        self.columns = columns

    from_dict = classmethod(lambda cls, columns: cls(dict(columns)))
    column_names = property(lambda self: list(self.columns))

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def __getitem__(self, key):
        if isinstance(key, str):
            return list(self.columns[key])
        return {name: values[key] for name, values in self.columns.items()}

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def map(self, function, batched=False, batch_size=1000, remove_columns=()):
        made = {}
        for i in range(0, len(self), batch_size if batched else 1):
            for name, value in dict(function(self[i : i + batch_size] if batched else self[i])).items():
                made.setdefault(name, []).extend(value if batched else [value])
        kept = {name: values for name, values in self.columns.items() if name not in remove_columns and name not in made}
        lengths = {len(values) for values in (*kept.values(), *made.values())}
        if len(lengths) > 1:
            raise ValueError(f"columns of different lengths: {lengths}")
        return Dataset({**kept, **made})


def load_dataset(kind, data_files, split):
    with open(data_files) as f:
        rows = [json.loads(line) for line in f]
    return Dataset({name: [row[name] for row in rows] for name in rows[0]})
