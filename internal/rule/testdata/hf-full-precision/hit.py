from transformers import Seq2SeqTrainingArguments, Trainer, TrainingArguments


def main(model, data):
    args = TrainingArguments(  # want SAT701 "computes in float32"
        output_dir="out",
        per_device_train_batch_size=16,
    )
    explicit = Seq2SeqTrainingArguments("out", bf16=False, fp16=False)  # want SAT701 "computes in float32"
    options = {"output_dir": "out", "learning_rate": 1e-5}
    unpacked = TrainingArguments(**options)  # want SAT701 "computes in float32"
    Trainer(model=model, args=args, train_dataset=data).train()
    return explicit, unpacked
