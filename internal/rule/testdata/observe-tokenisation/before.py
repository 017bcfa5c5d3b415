from transformers import AutoTokenizer


def main(texts, model, optimizer):
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    ids = tokenizer(texts).input_ids
    for x in ids:
        model(x).sum().backward()
        optimizer.step()
