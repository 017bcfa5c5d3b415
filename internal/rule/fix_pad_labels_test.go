package rule

import (
	"strings"
	"testing"

	"saturate/internal/patch"
)

// Labels are padded to lengths that repeat only where what is padded is left out of the loss.
func TestPadLabels(t *testing.T) {
	const head = `import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForSpeechSeq2Seq


class Collator:
    def __init__(self, processor):
        self.processor = processor

    def __call__(self, features):
        labels = [{"input_ids": f["labels"]} for f in features]
        batch = self.processor.feature_extractor.pad(features, return_tensors="pt")
`
	const tail = `        return batch


def train(processor, samples):
    model = AutoModelForSpeechSeq2Seq.from_pretrained("openai/whisper-tiny").to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for batch in DataLoader(samples, batch_size=4, collate_fn=Collator(processor)):
        batch = {name: part.to("cuda") for name, part in batch.items()}
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
`
	for name, test := range map[string]struct {
		lines string
		pads  bool
	}{
		"left out": {`        tokens = self.processor.tokenizer.pad(labels, return_tensors="pt")
        batch["labels"] = tokens["input_ids"].masked_fill(tokens.attention_mask.ne(1), -100)
`, true},
		"by an attribute, with a mask of its own": {`        padded = self.processor.tokenizer.pad(labels, padding=True, return_tensors="pt")
        hidden = padded["attention_mask"] == 0
        batch["labels"] = padded.input_ids.masked_fill(hidden, -100)
`, true},
		"kept": {`        tokens = self.processor.tokenizer.pad(labels, return_tensors="pt")
        batch["labels"] = tokens["input_ids"]
`, false},
		"another number": {`        tokens = self.processor.tokenizer.pad(labels, return_tensors="pt")
        batch["labels"] = tokens["input_ids"].masked_fill(tokens.attention_mask.ne(1), 0)
`, false},
		"of a known length": {`        tokens = self.processor.tokenizer.pad(labels, return_tensors="pt", max_length=64)
        batch["labels"] = tokens["input_ids"].masked_fill(tokens.attention_mask.ne(1), -100)
`, false},
	} {
		text := head + test.lines + tail
		found := scan(t, Selection{Select: []string{"SAT411"}, All: true}, map[string]string{"train.py": text}).Findings
		if len(found) != 1 || len(found[0].Fixes) < 2 {
			t.Fatalf("%s: %+v", name, found)
		}
		out, err := patch.Edits([]byte(text), found[0].Fixes[1].Edits)
		if err != nil {
			t.Fatal(err)
		}
		if pads := strings.Contains(string(out), "pad_to_multiple_of=32)"); pads != test.pads || strings.Count(string(out), "multiple_of") > 1 {
			t.Errorf("%s: it becomes\n%s", name, out)
		}
	}
}
