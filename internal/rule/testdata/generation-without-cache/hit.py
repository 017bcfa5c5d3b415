import torch
from transformers import WhisperForConditionalGeneration


class Run:
    def __init__(self, loader, held_out):
        self.loader, self.held_out = loader, held_out
        self.whisper = WhisperForConditionalGeneration.from_pretrained("openai/whisper-small").cuda()
        self.whisper.generation_config.use_cache = False
        self.optimizer = torch.optim.AdamW(self.whisper.parameters(), fused=True)

    def listen(self):
        for batch in self.held_out:
            yield self.whisper.generate(batch["input_features"])  # want SAT713 "computed from all tokens before it again"

    def train(self):
        for epoch in range(3):
            for batch in self.loader:
                self.whisper(**batch).loss.backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
            print(list(self.listen()))


def answers(model, batches):
    return [model.generate(**b, max_new_tokens=64, do_sample=False, use_cache=False) for b in batches]  # want SAT713 "computed from all tokens before it again"


def finetune(model, optimizer, loader, batches):
    for batch in loader:
        model(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return answers(model, batches)
