from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperForConditionalGeneration

model = WhisperForConditionalGeneration.from_pretrained("openai/whisper-small")
args = Seq2SeqTrainingArguments(  # want SAT710 "4 accumulation steps multiply Whisper's gradients by 4"
    output_dir="out",
    per_device_train_batch_size=4,
    gradient_accumulation_steps=4,
    bf16=True,
)
Seq2SeqTrainer(model=model, args=args).train()
