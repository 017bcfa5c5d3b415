from transformers import Trainer, TrainingArguments, Wav2Vec2ForCTC

model = Wav2Vec2ForCTC.from_pretrained("facebook/wav2vec2-base")
Trainer(model=model, args=TrainingArguments("out", group_by_length=True)).train()
