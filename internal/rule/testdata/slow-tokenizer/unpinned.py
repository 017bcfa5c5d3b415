from transformers import T5Tokenizer, Trainer

tokenizer = T5Tokenizer.from_pretrained("t5-small")  # want SAT112 "with transformers before 5, T5Tokenizer"
Trainer(train_dataset=tokenizer(["a text"])).train()
