package rule

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/project"
)

// The waits of one step are one finding, whatever rules find them and in whatever function, with their codes and the calls that lead to
// them. What waits in another step stands alone.
func TestJoinWaits(t *testing.T) {
	const train = `import torch
from torch.utils.data import DataLoader
from metrics import agreement


def train(model, loader, optimizer, total):
    for x, y in loader:
        out = model(x.cuda())
        loss = out.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 1e-3 and total > loss.item() * 2:
            print("small")
        agreement(out)


def again(model, loader, optimizer):
    for x, y in loader:
        cost = model(x.cuda()).mean()
        optimizer.zero_grad()
        cost.backward()
        optimizer.step()
        if cost.item() < 1e-3:
            print("small")


if __name__ == "__main__":
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    loader = DataLoader(torch.rand(100, 8), num_workers=2, pin_memory=True)
    train(model, loader, optimizer, 9)
    again(model, loader, optimizer)
`
	const metrics = `def agreement(out):
    chosen = out[out > 0]
    return sums(chosen)


def sums(chosen):
    if chosen.sum() > 3:
        return 0
    return chosen.cpu().numpy()
`
	p, err := project.FromSources(t.Context(), map[string][]byte{"train.py": []byte(train), "metrics.py": []byte(metrics)})
	if err != nil {
		t.Fatal(err)
	}
	result, err := Told(t.Context(), p, Selection{Select: []string{"SAT3"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range result.Findings {
		text := fmt.Sprintf("%s %s:%d", f.Code, f.Where.Path, f.Where.Line)
		for _, e := range f.Evidence {
			text += fmt.Sprintf(", %s%s:%d", e.Code, e.Location.Path, e.Location.Line)
		}
		got = append(got, text+map[bool]string{true: " + others"}[strings.Contains(f.Advice, "also waits")])
	}
	want := []string{
		"SAT301 train.py:13, train.py:7, SAT301train.py:13, SAT305metrics.py:7, train.py:15, metrics.py:3, SAT304metrics.py:9, SAT306metrics.py:2 + others",
		"SAT301 train.py:24, train.py:19",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s", strings.Join(got, "\n     "))
	}
}

// Findings of an unknown step, small ones and those of other kinds stay apart. A joined finding says that it has a fix.
func TestJoinWaitsOfUnknownSteps(t *testing.T) {
	at := func(code, step, small string) finding.Finding {
		return finding.Finding{Code: code, Step: step, Small: small, Where: &finding.Location{Path: "train.py"}}
	}
	list := []finding.Finding{at("SAT301", "", ""), at("SAT301", "", ""), at("SAT304", "a", ""), at("SAT304", "a", "it is small"), at("SAT311", "a", "")}
	if joined := joinWaits(list); len(joined) != len(list) {
		t.Errorf("%d of %d are left", len(joined), len(list))
	}
	fixed := at("SAT305", "a", "")
	fixed.Message, fixed.Fixes = "it waits", []patch.Patch{{Title: "leave the check out"}}
	joined := joinWaits([]finding.Finding{list[2], fixed})
	if len(joined) != 1 || joined[0].Evidence[0].Text != "it waits and has a fix" || joined[0].Evidence[0].Code != "SAT305" {
		t.Errorf("%+v", joined)
	}
}
