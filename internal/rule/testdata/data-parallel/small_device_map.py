from transformers import AutoModelForCausalLM, Trainer, TrainingArguments


def main(data, name):
    model = AutoModelForCausalLM.from_pretrained(name, device_map="auto")  # want SAT601 "one of them works at a time"
    judge = AutoModelForCausalLM.from_pretrained(name, device_map={"": 0})
    Trainer(model, TrainingArguments("out", fp16=True), train_dataset=data).train()
    return judge
