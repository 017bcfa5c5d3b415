import torch
from transformers import WhisperForConditionalGeneration


def transcribe(model, held_out):
    model.eval()
    texts = []
    with torch.no_grad():
        for i in range(len(held_out)):
            features = held_out[i]["input_features"].unsqueeze(0).cuda()
            texts.append(model.generate(features))
    model.train()
    return texts


def train(loader, held_out):
    model = WhisperForConditionalGeneration.from_pretrained("openai/whisper-small").cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(10):
        for batch in loader:
            model(**batch).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        transcribe(model, held_out)  # want SAT709 "one sample at a time"


PROMPT = "Question: {question}\nAnswer:"


def right_answers(model, tokenizer, rows):
    model.eval()
    right = 0
    with torch.no_grad():
        for row in rows:
            asked = tokenizer(PROMPT.format(question=row["question"]), return_tensors="pt").to("cuda")
            right += tokenizer.decode(model.generate(**asked)[0]) == row["answer"]
    model.train()
    return right


def tune(model, tokenizer, loader, rows):
    model.cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(10):
        for batch in loader:
            model(**batch).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        right_answers(model, tokenizer, rows)  # want SAT709 "one sample at a time"
