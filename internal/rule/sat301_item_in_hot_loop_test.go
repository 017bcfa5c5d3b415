package rule

import (
	"strings"
	"testing"
)

// TestReadsTogether: a loop's reads are repaired where the loop then waits for nothing, and as safely as the least safe
// of what makes it wait. A sum of losses is rounded on the GPU, a count of hits is not.
func TestReadsTogether(t *testing.T) {
	const helpers = `import torch


def shown(loss):
    print("a step")


def kept(loss):
    return inner(loss)


def inner(loss):
    return loss.item()
`
	const program = `import torch

import helpers


def show(loss):
    print("a step")


def keep(loss):
    return loss.item()


def train(model, loader, optimizer, criterion):
    model.cuda()
    total, hits = 0.0, 0
    for step, (x, y) in enumerate(loader):
        out = model(x.cuda())
        loss = criterion(out, y.cuda())
        loss.backward()
        optimizer.step()
        STEP
    print(total, hits)
`
	count, sum := "hits += (out.argmax(1) == y).sum().item()", "total += loss.item()"
	for _, c := range []struct {
		step []string
		want string // the safety of each read's repair
	}{
		{[]string{count}, "safe"},
		{[]string{sum}, "unsafe"},
		{[]string{sum, count}, "unsafe unsafe"},
		{[]string{count, "loader.set_postfix(loss=loss.item())"}, "unsafe"},
		{[]string{count, "print(loss)"}, "safe"},
		{[]string{count, "if step % 100 == 0 and torch.isnan(loss): raise ValueError"}, "safe"},
		{[]string{count, "if torch.isnan(loss): raise ValueError"}, "none"},
		{[]string{count, "seen = loss.item()"}, "none"}, // the first names the other
		{[]string{count, "outs = out.cpu()"}, "none"},
		{[]string{count, "show(loss)"}, "safe"},
		{[]string{count, "keep(loss)"}, "none none"},
		{[]string{count, "helpers.shown(loss)"}, "safe"},
		{[]string{count, "helpers.kept(loss)"}, "none none"},
	} {
		text := strings.Replace(program, "STEP", strings.Join(c.step, "\n        "), 1)
		var got []string
		for _, f := range scan(t, Selection{Select: []string{"SAT301"}}, map[string]string{"train.py": text, "helpers.py": helpers}).Findings {
			if len(f.Fixes) == 0 {
				got = append(got, "none")
			} else {
				got = append(got, string(f.Fixes[0].Safety))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: repairs are %v, want %s", c.step, got, c.want)
		}
	}
}
