from transformers import AutoTokenizer, DataCollatorForSeq2Seq, Seq2SeqTrainer, Seq2SeqTrainingArguments

tokenizer = AutoTokenizer.from_pretrained("t5-base")
args = Seq2SeqTrainingArguments(  # want SAT114 "short and long"
    output_dir="out",
    num_train_epochs=3,
)
Seq2SeqTrainer(args=args, data_collator=DataCollatorForSeq2Seq(tokenizer)).train()
