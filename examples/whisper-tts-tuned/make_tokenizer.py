"""Trains the byte-level BPE tokenizer on texts.txt and writes tokenizer.json."""

from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

here = Path(__file__).parent

tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
tokenizer.decoder = decoders.ByteLevel()
trainer = trainers.BpeTrainer(
    vocab_size=1000,
    special_tokens=["<|pad|>", "<|startoftranscript|>", "<|endoftext|>"],
    initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
)
tokenizer.train([str(here / "texts.txt")], trainer)
tokenizer.post_processor = processors.TemplateProcessing(
    single="$A <|endoftext|>",
    special_tokens=[("<|endoftext|>", tokenizer.token_to_id("<|endoftext|>"))],
)
tokenizer.save(str(here / "tokenizer.json"))
print(f"{tokenizer.get_vocab_size()} tokens")
