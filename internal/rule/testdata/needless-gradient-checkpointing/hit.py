from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperForConditionalGeneration

model = WhisperForConditionalGeneration.from_pretrained("openai/whisper-base")
args = Seq2SeqTrainingArguments(  # want SAT503 "activations twice"
    output_dir="out",
    per_device_train_batch_size=16,
    gradient_checkpointing=True,
)
Seq2SeqTrainer(model=model, args=args).train()
