from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperForConditionalGeneration

model = WhisperForConditionalGeneration.from_pretrained("openai/whisper-small")
plain = Seq2SeqTrainingArguments("out")
off = Seq2SeqTrainingArguments("out", group_by_length=False)
column = Seq2SeqTrainingArguments("out", group_by_length=True, length_column_name="label_length")
Seq2SeqTrainer(model=model, args=plain).train()
