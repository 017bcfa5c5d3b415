package rule

import (
	"fmt"
	"strings"
	"testing"
)

// TestAlsoInEvaluation: a finding about training names the lines of evaluation that do the same, and no others.
func TestAlsoInEvaluation(t *testing.T) {
	const program = `import torch


def score(model, heldout, names):
    model.eval()
    total, seen = 0.0, 0
    with torch.no_grad():
        for x, y in heldout:
            x = x.to("cuda")
            loss = torch.nn.functional.mse_loss(model(x), y.to("cuda", non_blocking=True))
            total += loss.item()
            if seen == 0 and names:
                print(names[0])
            seen += len(names)
    return total


def train(model, loader, heldout, optimizer):
    model.cuda()
    for epoch in range(3):
        model.train()
        for x, y in loader:
            x, y = x.to("cuda"), y.to("cuda")
            loss = torch.nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            print(loss.item())
        score(model, heldout, [])
`
	for code, want := range map[string]string{"SAT301": "11", "SAT311": "9"} {
		list := scan(t, Selection{Select: []string{code}, All: true}, map[string]string{"train.py": program}).Findings
		if len(list) != 1 {
			t.Fatalf("%s: %d findings", code, len(list))
		}
		var got []string
		for _, e := range list[0].Evidence {
			if strings.HasPrefix(e.Text, "evaluation waits") {
				got = append(got, fmt.Sprint(e.Location.Line))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s names the lines %v, want %s", code, got, want)
		}
	}
}

// TestAlsoInOtherModules: a finding about training names the reads of an evaluation that it calls in another file.
func TestAlsoInOtherModules(t *testing.T) {
	list := scan(t, Selection{Select: []string{"SAT301"}}, map[string]string{
		"scores.py": `def rank(model, users):
    total = 0
    for user in users:
        total += model(user.cuda()).argsort()[0].item()
    return total
`,
		"train.py": `import scores
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x * 2


def train(loader, users, optimizer):
    model = Net().cuda()
    for epoch in range(3):
        for x in loader:
            loss = model(x.cuda()).mean()
            loss.backward()
            optimizer.step()
            print(loss.item())
        scores.rank(model, users)
`,
	}).Findings
	if len(list) != 1 {
		t.Fatalf("%d findings", len(list))
	}
	for _, e := range list[0].Evidence {
		if e.Location != nil && strings.HasSuffix(e.Location.Path, "scores.py") && e.Location.Line == 4 {
			return
		}
	}
	t.Errorf("the read of the evaluation is not named: %v", list[0].Evidence)
}
