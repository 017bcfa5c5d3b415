from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


def train(model, loader, optimizer):
    for texts in loader:
        tokens = tokenizer(texts, padding=True)
        model(tokens).sum().backward()
        optimizer.step()
