class Encoder:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, row):
        return self.tokenizer(render(row), truncation=True)


def render(row):
    return f"Question: {row['question']} Answer: {row['answer']}"
