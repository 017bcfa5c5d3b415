from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


def train(data):
    model = AutoModelForSequenceClassification.from_pretrained("distilroberta-base")
    few = TrainingArguments("out", per_device_train_batch_size=4, bf16=True)  # want SAT211 "the batch size is 4 for a model of 80 million"
    many = TrainingArguments("out", per_device_train_batch_size=64, bf16=True)
    for args in (few, many):
        Trainer(model=model, args=args, train_dataset=data).train()
