from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")


def predict(model, text):
    return model(tokenizer(text))
