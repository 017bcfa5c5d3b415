package rule

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"saturate/internal/project"
)

func scan(t *testing.T, sel Selection, files map[string]string) Result {
	t.Helper()
	sources := map[string][]byte{}
	for name, text := range files {
		sources[name] = []byte(text)
	}
	p, err := project.FromSources(context.Background(), sources)
	if err != nil {
		t.Fatal(err)
	}
	result, err := OnSource(context.Background(), p, sel)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func codes(r Result) string {
	var list []string
	for _, f := range r.Findings {
		list = append(list, f.Code)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

const faulty = `import torch
from gtts import gTTS
from torch.utils.data import DataLoader, Dataset


class Spoken(Dataset):
    def __getitem__(self, i):
        gTTS("x").save("x.mp3")


def train(model, optimizer):
    for batch in DataLoader(Spoken()):
        loss = model(batch.cuda())
        loss.backward()
        optimizer.step()
        print(loss.item())
`

func TestSelection(t *testing.T) {
	for _, tt := range []struct {
		sel  Selection
		want string
	}{
		{Selection{Select: []string{"SAT101", "SAT203", "SAT301"}}, "SAT101 SAT203 SAT301"},
		{Selection{Select: []string{"SAT101", "no-pin-memory"}}, "SAT101 SAT203"},
		{Selection{Select: []string{"sat101", "SAT203", "SAT301"}, Ignore: []string{"SAT3", "tts-in-data-path"}}, "SAT203"},
		{Selection{Ignore: []string{"SAT"}}, ""},
	} {
		if got := codes(scan(t, tt.sel, map[string]string{"train.py": faulty})); got != tt.want {
			t.Errorf("%+v gives %q, want %q", tt.sel, got, tt.want)
		}
	}
	if got := (Selection{Select: []string{"SAT101", "SAT999"}, Ignore: []string{"no-such"}}).Unknown(); !slices.Equal(got, []string{"SAT999", "no-such"}) {
		t.Errorf("unknown %v", got)
	}
}

func TestSuppression(t *testing.T) {
	only := Selection{Select: []string{"SAT203"}}
	loader := func(before, first, last string) string {
		return before + "import torch\nfrom torch.utils.data import DataLoader\ntorch.cuda.init()\n" +
			"loader = DataLoader(" + first + "\n    data,\n)" + last + "\n"
	}
	for name, tt := range map[string]struct {
		text       string
		suppressed int
	}{
		"nothing":          {loader("", "", ""), 0},
		"on its line":      {loader("", "  # saturate: ignore[SAT203] small batches", ""), 1},
		"on the last line": {loader("", "", "  # saturate: ignore[no-pin-memory]"), 1},
		"every rule":       {loader("", "  # saturate: ignore", ""), 1},
		"another rule":     {loader("", "  # saturate: ignore[SAT101]", ""), 0},
		"a family":         {loader("", "  # saturate: ignore[SAT2]", ""), 1},
		"several":          {loader("", "  # saturate: ignore[SAT101, SAT203] both", ""), 1},
		"the file":         {loader("# saturate: ignore-file[SAT203]\n", "", ""), 1},
		"the whole file":   {loader("# saturate: ignore-file generated\n", "", ""), 1},
		"in a string":      {loader("x = '# saturate: ignore-file'\n", "", ""), 0},
		"line above":       {strings.Replace(loader("", "", ""), "loader =", "# saturate: ignore[SAT203] why\nloader =", 1), 1},
	} {
		r := scan(t, only, map[string]string{"train.py": tt.text})
		if r.Suppressed != tt.suppressed || len(r.Findings) != 1-tt.suppressed {
			t.Errorf("%s: %d findings, %d suppressed, want %d", name, len(r.Findings), r.Suppressed, tt.suppressed)
		}
	}
}

// TestSameEveryTime: the order and the content of the findings do not vary.
func TestSameEveryTime(t *testing.T) {
	files := map[string]string{"tests/test_a.py": faulty}
	for _, name := range []string{"a.py", "b.py", "c/d.py", "c/e.py"} {
		files[name] = faulty
	}
	show := func() string {
		text, err := json.Marshal(scan(t, Selection{}, files))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := show()
	if strings.Contains(first, "test_a.py") {
		t.Error("a test has findings")
	}
	for range 5 {
		if show() != first {
			t.Fatal("two runs differ")
		}
	}
}

func TestWorstFirst(t *testing.T) {
	r := scan(t, Selection{}, map[string]string{"train.py": faulty})
	for i := 1; i < len(r.Findings); i++ {
		a, b := &r.Findings[i-1], &r.Findings[i]
		if order[a.Severity] > order[b.Severity] || order[a.Severity] == order[b.Severity] && rank(a) > rank(b) {
			t.Errorf("%s stands before %s", a.Code, b.Code)
		}
	}
	if len(r.Findings) == 0 || r.Findings[0].Code != "SAT101" {
		t.Errorf("the first finding is %+v", r.Findings)
	}
}
