package rule

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/project"
)

// TestObservations holds what is said about precision, quantisation and the
// optimizer when nothing is wrong with them, and when something is.
func TestObservations(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"bfloat16, fused": {`
import torch
from torch import nn

def train(loader):
    model = nn.Linear(4096, 4096).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for x, y in loader:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
`, []string{
			"optimizer: AdamW, fused", "precision: bfloat16 by autocast",
		}},
		"float32": {`
import torch
from torch import nn

def train(loader):
    model = nn.Linear(4096, 4096).to("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
`, []string{
			"optimizer: SGD", "precision: float32 throughout",
		}},
		"a trainer, 4-bit weights": {`
import torch
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, Trainer, TrainingArguments

quantized = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
model = AutoModelForCausalLM.from_pretrained("gpt2", quantization_config=quantized)
args = TrainingArguments("out", bf16=True, optim="paged_adamw_8bit")
Trainer(model=model, args=args).train()
`, []string{
			"optimizer: paged_adamw_8bit by the trainer", "precision: bfloat16 by the trainer",
			"quantization: 4-bit weights (nf4), computing in bfloat16",
		}},
		"defaults of a trainer": {`
import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

model = AutoModelForCausalLM.from_pretrained("gpt2", dtype=torch.float32)
Trainer(model=model, args=TrainingArguments("out", fp16=True)).train()
`, []string{
			"optimizer: adamw_torch, fused since torch 2.8: the trainer's default",
			"precision: float16 with loss scaling by the trainer",
			"quantization: none: the weights are loaded in float32",
		}},
		"evaluation says nothing": {`
import torch

@torch.no_grad()
def evaluate(model, loader):
    model.to("cuda")
    for x in loader:
        with torch.autocast("cuda"):
            model(x)
`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := project.FromSources(context.Background(), map[string][]byte{"train.py": []byte(c.source)})
			if err != nil {
				t.Fatal(err)
			}
			result, err := OnSource(context.Background(), p, Selection{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range result.Observations {
				got = append(got, o.Topic+": "+o.Text)
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
