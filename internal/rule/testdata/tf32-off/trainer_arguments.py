from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def main(data):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    args = TrainingArguments("out", tf32=False, per_device_train_batch_size=32)  # want SAT404 "TF32 is switched off"
    Trainer(model, args, train_dataset=data).train()
