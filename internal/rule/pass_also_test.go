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
		list := scan(t, Selection{Select: []string{code}}, map[string]string{"train.py": program}).Findings
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
