package rule

import (
	"context"
	"testing"

	"saturate/internal/project"
)

// A scan says once what is true of copies of a program, and what a general rule says of one program.
func TestJoinCopies(t *testing.T) {
	const script = `import torch
from torch.utils.data import DataLoader


def train(model, data):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    total = 0
    for x in DataLoader(data, batch_size=8):
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        total += loss.item()
        print(loss.item())
`
	p, err := project.FromSources(context.Background(), map[string][]byte{"a.py": []byte(script), "b.py": []byte("# a copy\n" + script)})
	if err != nil {
		t.Fatal(err)
	}
	sel := Selection{Select: []string{"SAT406"}, All: true}
	each, err := OnSource(context.Background(), p, sel)
	if err != nil || len(each.Findings) != 2 {
		t.Fatalf("%v: %+v", err, each.Findings)
	}
	once, err := Told(context.Background(), p, sel, nil)
	if err != nil || len(once.Findings) != 1 {
		t.Fatalf("%v: %+v", err, once.Findings)
	}
	f := once.Findings[0]
	if last := f.Evidence[len(f.Evidence)-1]; last.Text != "and here" || last.Location.Path != "b.py" || last.Location.Line != 8 {
		t.Errorf("evidence: %+v", f.Evidence)
	}
	if edits := f.Fixes[0].Edits; len(edits) != 2 || edits[1].Path != "b.py" {
		t.Errorf("edits: %+v", edits)
	}
}
