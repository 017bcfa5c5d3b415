from transformers import AutoModelForCausalLM, Seq2SeqTrainer, Seq2SeqTrainingArguments

model = AutoModelForCausalLM.from_pretrained("gpt2")
args = Seq2SeqTrainingArguments(output_dir="out", per_device_train_batch_size=4, gradient_accumulation_steps=4, bf16=True)
Seq2SeqTrainer(model=model, args=args).train()
