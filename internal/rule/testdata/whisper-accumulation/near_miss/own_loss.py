from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperForConditionalGeneration

model = WhisperForConditionalGeneration.from_pretrained("openai/whisper-small")
args = Seq2SeqTrainingArguments(output_dir="out", gradient_accumulation_steps=8, bf16=True)
trainer = Seq2SeqTrainer(model=model, args=args)
trainer.model_accepts_loss_kwargs = False
trainer.train()
