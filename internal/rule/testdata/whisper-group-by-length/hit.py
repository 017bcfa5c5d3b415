from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperForConditionalGeneration

model = WhisperForConditionalGeneration.from_pretrained("openai/whisper-small")
args = Seq2SeqTrainingArguments("out", group_by_length=True, bf16=True)  # want SAT705 "have the same length"
new = Seq2SeqTrainingArguments(  # want SAT705 "have the same length"
    "out",
    train_sampling_strategy="group_by_length",
)
Seq2SeqTrainer(model=model, args=args).train()
