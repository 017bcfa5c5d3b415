from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperForConditionalGeneration


def build(name):
    model = WhisperForConditionalGeneration.from_pretrained(name)
    model.generation_config.use_cache = False  # want SAT713 "each evaluation of the trainer generates without a cache"
    return model


def main(data, held_out, collate):
    arguments = Seq2SeqTrainingArguments(
        "out", eval_strategy="steps", eval_steps=1000, predict_with_generate=True, bf16=True, dataloader_num_workers=8,
        per_device_train_batch_size=32,
    )
    trainer = Seq2SeqTrainer(build("openai/whisper-small"), arguments, train_dataset=data, eval_dataset=held_out, data_collator=collate)
    trainer.train()
