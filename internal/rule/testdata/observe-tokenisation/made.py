from whisper.tokenizer import get_tokenizer

from setup import *


def main(texts, model, optimizer):
    """A tokenizer is made in two ways, and nothing is tokenised."""
    tokenizer = get_tokenizer(multilingual=True, task="transcribe")
    other = load_tokenizer("gpt2")
    for x in texts:
        model(x, tokenizer, other).sum().backward()
        optimizer.step()
