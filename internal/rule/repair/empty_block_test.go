package repair

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/pysrc"
	"saturate/internal/rule"
)

// waits is a training loop with room for what a step does besides.
const waits = `import gc

import torch

model = torch.nn.Linear(4096, 4096).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1, fused=True)
%s
for epoch in range(3):
    for x in loader:
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
%s`

const (
	syncs = "torch.cuda.synchronize()"
	frees = "torch.cuda.empty_cache()"
)

// Repairs that each remove a statement and together all of a block leave pass there, whatever the block is of.
func TestTogetherTheyEmptyABlock(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string // in a step
		above, below  string // above the loop
		repairs       int
	}{
		"if": {
			before: "if x is not None:\n    S\n    E\nprint(1)\n", after: "if x is not None:\n    pass\nprint(1)\n", repairs: 2,
		},
		"else and elif": {
			before: "if x is None:\n    S\n    E\nelif x is loss:\n    E\n    S\nelse:\n    S\n    E\n    gc.collect()\n",
			after:  "if x is None:\n    pass\nelif x is loss:\n    pass\nelse:\n    pass\n", repairs: 7,
		},
		"with": {
			before: "with open('log') as f:\n    S\n    E\n", after: "with open('log') as f:\n    pass\n", repairs: 2,
		},
		"for, while and their else": {
			before: "for i in (1, 2):\n    S\n    E\nelse:\n    E\n    S\nwhile x is None:\n    S\n    E\nelse:\n    E\n    S\n",
			after:  "for i in (1, 2):\n    pass\nelse:\n    pass\nwhile x is None:\n    pass\nelse:\n    pass\n", repairs: 8,
		},
		"try": {
			before: "try:\n    S\n    E\nexcept ValueError:\n    raise\nelse:\n    S\n    E\nfinally:\n    E\n    S\n",
			after:  "try:\n    pass\nexcept ValueError:\n    raise\nelse:\n    pass\nfinally:\n    pass\n", repairs: 6,
		},
		"match": {
			before: "match x:\n    case None:\n        S\n        E\n", after: "match x:\n    case None:\n        pass\n", repairs: 2,
		},
		"nested": {
			before: "if x is not None:\n    S\n    for i in (1, 2):\n        S\n        if i is loss:\n            S\n            E\n        E\n    E\n",
			after:  "if x is not None:\n    for i in (1, 2):\n        if i is loss:\n            pass\n", repairs: 6,
		},
		"on one line": {
			before: "if x is not None: S; E\n", after: "if x is not None: pass; pass\n", repairs: 2,
		},
		"on one line, nested": {
			before: "if x is not None:\n    for i in (1, 2): S; E\n    S; E\nelse: S; E\n",
			after:  "if x is not None:\n    for i in (1, 2): pass; pass\n    pass; pass\nelse: pass; pass\n", repairs: 6,
		},
		"partly on one line": {
			before: "if x is not None:\n    S\n    E; S\n", after: "if x is not None:\n    pass; pass\n", repairs: 3,
		},
		"comments stay": {
			before: "if x is not None:\n    S  # wait\n\n    # and free\n    E\n", after: "if x is not None:\n    pass  # wait\n\n    # and free\n", repairs: 2,
		},
		"what else is there stays alone": {
			before: "if x is not None:\n    S\n    print(x)\n    E\n", after: "if x is not None:\n    print(x)\n", repairs: 2,
		},
		"a function": {
			above: "def tidy():\n    S\n    E\n", below: "def tidy():\n    pass\n", before: "tidy()\n", after: "tidy()\n", repairs: 2,
		},
		"a function with a docstring": {
			above: "def tidy():\n    'waits'\n    S\n    E\n", below: "def tidy():\n    'waits'\n", before: "tidy()\n", after: "tidy()\n", repairs: 2,
		},
	} {
		program := func(above, step string) string {
			step = "        " + strings.ReplaceAll(strings.TrimSuffix(step, "\n"), "\n", "\n        ") + "\n"
			text := fmt.Sprintf(waits, above, strings.ReplaceAll(step, "\n        \n", "\n\n"))
			return strings.NewReplacer("S", syncs, "E\n", frees+"\n", "E;", frees+";").Replace(text)
		}
		for form, of := range map[string]func(string) string{
			"":                 func(s string) string { return s },
			" with CRLF":       func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
			" with tabs":       func(s string) string { return strings.ReplaceAll(s, "    ", "\t") },
			" without newline": func(s string) string { return strings.TrimSuffix(s, "\n") },
			" in a notebook":   notebook,
		} {
			before, want, file := of(program(c.above, c.before)), of(program(c.below, c.after)), "train.py"
			if form == " in a notebook" {
				file = "train.ipynb"
			}
			plan := planOf(t, Options{
				Paths: []string{folder(t, map[string]string{file: before})}, Unsafe: true,
				Rules: rule.Selection{Select: []string{"SAT307", "SAT308"}},
			})
			after := repaired(plan, file)
			if len(plan.Made) != c.repairs || len(plan.Left) > 0 {
				t.Errorf("%s%s: %d repairs, want %d; left: %+v", name, form, len(plan.Made), c.repairs, plan.Left)
			}
			if file == "train.ipynb" { // a line that is removed stays an empty string
				after = strings.ReplaceAll(after, "    \"\",\n", "")
			}
			if form == " without newline" { // the last line may lose its end with what is removed behind it
				after, want = strings.TrimSuffix(after, "\n"), strings.TrimSuffix(want, "\n")
			}
			if after != want {
				t.Errorf("%s%s: got\n%s\nwant\n%s", name, form, after, want)
			}
			if err := pysrc.Parse(file, []byte(after)).Err(); err != nil && file == "train.py" {
				t.Errorf("%s%s: %v in\n%s", name, form, err, after)
			}
		}
	}
}

// notebook has the program as its only cell, a string for each line.
func notebook(program string) string {
	var lines []string
	for _, l := range strings.SplitAfter(program, "\n") {
		quoted, _ := json.Marshal(l)
		lines = append(lines, string(quoted))
	}
	return "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"source\": [\n    " + strings.Join(lines, ",\n    ") + "\n   ]\n  }\n ]\n}\n"
}

// A repair whose result is not Python is withheld, with the reason, and the others are made.
func TestResultThatDoesNotParse(t *testing.T) {
	second := strings.Replace(training, "lr=0.1", "lr=0.2", 1)
	dir := folder(t, map[string]string{"train.py": training, "second.py": second, "data.py": clips})
	plan := planOf(t, Options{Paths: []string{dir}, Pick: func(f finding.Finding) *patch.Patch {
		if f.Code != "SAT203" && f.Code != "SAT311" {
			return nil
		}
		fix := f.Fixes[0]
		if f.Code == "SAT203" && strings.HasSuffix(f.Where.Path, "train.py") {
			fix.Edits = []patch.Edit{fix.Edits[0]}
			fix.Edits[0].Text += ")"
		}
		return &fix
	}})
	if after := repaired(plan, "train.py"); !strings.Contains(after, "non_blocking") || strings.Contains(after, "pin_memory") {
		t.Errorf("train.py is\n%s", after)
	}
	if after := repaired(plan, "second.py"); !strings.Contains(after, "non_blocking") || !strings.Contains(after, "pin_memory") {
		t.Errorf("second.py is\n%s", after)
	}
	said := false
	for _, l := range plan.Left {
		said = said || l.Reason == Withheld && l.Finding.Code == "SAT203" && strings.Contains(l.Detail, "would not be valid Python")
	}
	if !said {
		t.Errorf("left: %+v", plan.Left)
	}
}

// A file that is not Python before any repair is not edited: whether a repair breaks more of it could not be told.
func TestFileThatDoesNotParse(t *testing.T) {
	text := "print 'Python 2'\n" + training
	dir := folder(t, map[string]string{"train.py": text, "data.py": clips})
	plan := planOf(t, Options{Paths: []string{dir}, Unsafe: true})
	if len(plan.Changes) > 0 || len(plan.Made) > 0 {
		t.Errorf("changed to\n%s", repaired(plan, "train.py"))
	}
	for _, l := range plan.Left {
		if len(l.Finding.Fixes) > 0 && l.Reason != ShownOnly && (l.Reason != Protected || !strings.HasPrefix(l.Detail, "line 1 of the file is not valid Python")) {
			t.Errorf("%s is left as %s: %s", l.Finding.Code, l.Reason, l.Detail)
		}
	}
}

// A notebook with a cell that is not Python is repaired in the others, and still checked.
func TestNotebookWithAnOddCell(t *testing.T) {
	text := strings.Replace(notebook(training), `"source": [`, `"source": ["pip install torch torchaudio\n"]`+"\n  },\n  {\n   \"cell_type\": \"code\",\n   \"source\": [", 1)
	for name, spoil := range map[string]string{"as it is": "", "spoiled": ")"} {
		plan := planOf(t, Options{
			Paths: []string{folder(t, map[string]string{"train.ipynb": text, "data.py": clips})},
			Rules: rule.Selection{Select: []string{"SAT203"}},
			Pick: func(f finding.Finding) *patch.Patch {
				if f.Code != "SAT203" {
					return nil
				}
				fix := f.Fixes[0]
				fix.Edits = []patch.Edit{fix.Edits[0]}
				fix.Edits[0].Text += spoil
				return &fix
			},
		})
		if made := len(plan.Made); made != 1-len(spoil) {
			t.Errorf("%s: %d repairs; left %+v", name, made, plan.Left)
		}
	}
}

// A repair that is only shown, and that another repair made worth a look, is shown in the file as that leaves it.
func TestShownInTheRepairedFile(t *testing.T) {
	remote := strings.NewReplacer("import soundfile", "import requests", `soundfile.read(f"{i}.wav")`, `requests.get(f"http://host/{i}").content`).Replace(clips)
	plan := planOf(t, Options{Paths: []string{folder(t, map[string]string{"train.py": training, "data.py": remote})}, Unsafe: true})
	for _, l := range plan.Left {
		if l.Reason != ShownOnly || l.Finding.Code != "SAT206" {
			continue
		}
		changes, err := plan.Try(*l.Patch)
		if err != nil || len(changes) != 1 {
			t.Fatal(err, changes)
		}
		want := strings.Replace(repaired(plan, "train.py"), "pin_memory=True)", "pin_memory=True, prefetch_factor=4)", 1)
		if got := string(changes[0].New); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		return
	}
	t.Errorf("SAT206 is not shown: %+v", plan.Left)
}
