import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification


def distill(data, optimizer_of):
    teacher = AutoModelForSequenceClassification.from_pretrained("large", torch_dtype=torch.bfloat16)
    teacher = teacher.to("cuda").eval().requires_grad_(False)
    student = AutoModelForSequenceClassification.from_pretrained("small").to("cuda")
    optimizer = torch.optim.AdamW(student.parameters(), fused=True)
    for batch in DataLoader(data, batch_size=32, num_workers=4):
        ids = batch.to("cuda")
        with torch.no_grad():
            wanted = teacher(ids).logits.float()
        torch.nn.functional.mse_loss(student(ids).logits, wanted).backward()  # want SAT401 "entirely in float32"
        optimizer.step()
