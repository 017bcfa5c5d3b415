"""The tokenizer that was written in Python before transformers 5, and has a fast twin in all versions."""
# repairs: SAT112
# versions: torch>=2.6
import torch
from torch.utils.data import DataLoader
from transformers import BertTokenizer

device = "cuda" if torch.cuda.is_available() else "cpu"
with open("vocab.txt", "w") as f:
    f.write("\n".join("[PAD] [UNK] [CLS] [SEP] [MASK] the cat sat ##s on mat , .".split()))
tokenizer = BertTokenizer.from_pretrained(".")
model = torch.nn.Embedding(13, 1, _weight=torch.linspace(0, 1, 13)[:, None]).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for texts in DataLoader(["The cat sat.", "cats, on the mat", "a dog"], batch_size=2, collate_fn=list):
    ids = tokenizer(texts, padding=True, return_tensors="pt").input_ids
    loss = model(ids.to(device)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(ids.tolist(), f"{loss.item():.4f}")
