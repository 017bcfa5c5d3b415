package rule

import "testing"

// Functions that call each other with their parameter are asked once where it lies: the question had no end, and a scan
// of openai/improved-diffusion ended with a stack overflow.
func TestParameterOfEachOther(t *testing.T) {
	const text = `import torch
from torch.utils.data import DataLoader


def spread(logits, n):
    if n > 9:
        return reduce(logits, n)
    print(logits.max().item())
    return logits


def reduce(logits, n):
    return spread(logits, n - 1)


def main(samples):
    model = torch.nn.Linear(4, 1).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x, scores in DataLoader(samples, batch_size=32):
        loss = model(x.cuda()).mean() + reduce(scores, 3).mean()
        loss.backward()
        optimizer.step()
`
	if found := scan(t, Selection{}, map[string]string{"train.py": text}).Findings; len(found) == 0 {
		t.Error("nothing is found")
	}
}
