from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments


def main(data, name):
    model = AutoModelForCausalLM.from_pretrained(name)  # want SAT419 "in float32 unless"
    model = get_peft_model(model, LoraConfig(r=8))
    four = AutoModelForCausalLM.from_pretrained(name, quantization_config=BitsAndBytesConfig(load_in_4bit=True))
    four = get_peft_model(four, LoraConfig(r=8))
    judge = AutoModelForCausalLM.from_pretrained(name)
    Trainer(model, TrainingArguments("out", bf16=True), train_dataset=data).train()
    return four, judge
