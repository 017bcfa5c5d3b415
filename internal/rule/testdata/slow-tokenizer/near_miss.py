from transformers import AutoTokenizer, BertTokenizerFast, Trainer, Wav2Vec2CTCTokenizer, WhisperTokenizer

KINDS = {"fast": BertTokenizerFast}


def load(name, use_fast):
    return AutoTokenizer.from_pretrained(name, use_fast=use_fast)


fast = BertTokenizerFast.from_pretrained("bert-base-uncased")
auto = AutoTokenizer.from_pretrained("gpt2")
ctc = Wav2Vec2CTCTokenizer.from_pretrained("facebook/wav2vec2-base")
Trainer().train()


# Nobody encodes with these: the processor does.
decoder = WhisperTokenizer.from_pretrained("openai/whisper-small")
unused = WhisperTokenizer.from_pretrained("openai/whisper-small")


def compute_metrics(pred):
    pred.label_ids[pred.label_ids == -100] = decoder.pad_token_id
    return decoder.batch_decode(pred.predictions, skip_special_tokens=True)
