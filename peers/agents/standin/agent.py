"""A stand-in for a coding agent: it reads the task on stdin and edits train.py, each time in the next of four ways.
One edit is good. One changes the samples, one is slow, one crashes: those have to be dropped."""
import json
import os
import pathlib
import sys

task = sys.stdin.read()
json.JSONDecoder().raw_decode(task[task.index("\n{") + 1:])  # what was measured follows as JSON
count = pathlib.Path(os.environ["STANDIN_COUNT"])
tried = int(count.read_text()) if count.exists() else 0
count.write_text(str(tried + 1))
path = pathlib.Path("train.py")
source = path.read_text()
loop = source[source.index("        x = "):source.index("        return ", source.index("        x = "))]
edits = [
    ("stand-in: normalize with torch", loop, "        x = torch.tensor(self.x[i], dtype=torch.float64)\n"
     "        x = ((x - x.mean()) / x.std(correction=0)).float()\n", True),
    ("stand-in: look at half of the samples", "return len(self.x)", "return len(self.x) // 2", False),
    ("stand-in: sort each sample twice", "return torch.tensor(x), self.y[i]", "_ = [sorted(self.x[i]) for _ in range(8)]; return torch.tensor(x), self.y[i]", False),
    ("stand-in: a new layer", "nn.Linear(64, 10))", "nn.Linear(32, 10))", False),
]
if tried >= len(edits):
    print("no more ideas")
    sys.exit()
title, old, new, whole = edits[tried]
if whole:
    edited = source.replace(old, new).replace("return torch.tensor(x), self.y[i]", "return x, self.y[i]")
else:
    if old not in source:  # after the good edit
        old, new = old.replace("torch.tensor(x)", "x"), new.replace("torch.tensor(x)", "x")
    edited = source.replace(old, new)
assert edited != source, title
path.write_text(edited)
print(title)
