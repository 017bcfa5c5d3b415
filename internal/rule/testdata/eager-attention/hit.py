import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments, WhisperForConditionalGeneration

model = AutoModelForCausalLM.from_pretrained("gpt2", attn_implementation="eager")  # want SAT410 "without a fused kernel"
ATTENTION = "eager"
whisper = WhisperForConditionalGeneration.from_pretrained(  # want SAT410 "without a fused kernel"
    "openai/whisper-small",
    attn_implementation=ATTENTION,
)
trainer = Trainer(model=model, args=TrainingArguments("out", bf16=True))
trainer.train()
