package project

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/patch"
	"saturate/internal/pysrc"
)

func notebookOf(t testing.TB, cells ...string) []byte {
	t.Helper()
	type cell struct {
		Type   string   `json:"cell_type"`
		Source []string `json:"source"`
	}
	book := map[string]any{"nbformat": 4, "metadata": map[string]any{"kernelspec": map[string]any{"language": "python"}}}
	list := []cell{{"markdown", []string{"# Title"}}}
	for _, c := range cells {
		list = append(list, cell{"code", strings.SplitAfter(c, "\n")})
	}
	book["cells"] = list
	text, err := json.MarshalIndent(book, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestNotebook(t *testing.T) {
	text := notebookOf(t,
		"%matplotlib inline\n!pip install torch\nimport torch\nfiles = !ls\nif True:\n    %time x()\nlen?",
		"%%bash\nfor f in *; do\n  echo $f; not python\ndone\n",
		"%%time\ns = \"tab\\t\\\"é\\\" 日本\"; loader = torch.utils.data.DataLoader([], shuffle=False)\n")
	path := filepath.Join(t.TempDir(), "book.ipynb")
	write(t, path, text)
	p := load(t, path)
	if len(p.Warnings) > 0 || len(p.Modules) != 1 {
		t.Fatalf("warnings %v", p.Warnings)
	}
	m := p.Modules[0]
	var loader *Site
	for _, s := range m.Sites {
		if s.Name() == "torch.utils.data.DataLoader" {
			loader = s
		}
	}
	if loader == nil {
		t.Fatalf("no loader in\n%s", m.Text)
	}
	place := m.Place(loader.Node.Span)
	if place.Cell != 4 || place.Line != 2 {
		t.Errorf("cell %d, line %d", place.Cell, place.Line)
	}
	if got := string(text[place.Start:place.End]); got != m.File.Text(loader.Node) {
		t.Errorf("in the file it is %q", got)
	}
	e := p.NewEval()
	for _, edit := range []patch.Edit{e.Argument(loader, "shuffle").SetTo("True"), e.Argument(loader, "sampler").SetTo(`"a\n"`)} {
		changed, err := patch.Edits(text, []patch.Edit{edit})
		if err != nil {
			t.Fatal(err)
		}
		source, err := readNotebook(path, changed)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(string(m.Text), "shuffle=False", "shuffle=True", 1)
		if edit.Text != "True" {
			want = strings.Replace(string(m.Text), "shuffle=False", `shuffle=False, sampler="a\n"`, 1)
		}
		if string(source.Text) != want {
			t.Errorf("after the edit\n%s\nwant\n%s", source.Text, want)
		}
	}
}

// FuzzNotebook: every offset of the text leads into the file, and runs without
// escapes are the same there.
func FuzzNotebook(f *testing.F) {
	f.Add(notebookOf(f, "import torch\n%magic\n", "x = 'é\\u0041'"))
	f.Add([]byte(`{"cells":[{"cell_type":"code","source":"a\u00e9\ud83d\ude00\n!x"}]}`))
	f.Add([]byte(`{"worksheets":[{"cells":[{"cell_type":"code","input":["x=1\\\n"]}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		source, err := readNotebook("x.ipynb", raw)
		if err != nil || source == nil {
			return
		}
		last := int32(0)
		for i := range int32(len(source.Text)) + 1 {
			at := source.cells.rawOffset(i)
			if at < last || int(at) > len(raw) {
				t.Fatalf("offset %d leads to %d after %d, of %d", i, at, last, len(raw))
			}
			last = at
		}
		_ = pysrc.Parse("x.ipynb", source.Text)
	})
}

// What IPython takes for itself may go on over several lines, and Python may look like it.
func TestNotebookMagicOverLines(t *testing.T) {
	for name, cell := range map[string]string{
		"command":    "!pip install torch \\\n    numpy \\\n  --quiet\nx = 1\n",
		"indented":   "if True:\n    !pip install \\\n        torch\nx = 1\n",
		"magic":      "%pip install torch \\\n    numpy\nx = 1\n",
		"assigned":   "files = !ls \\\n  -l\nx = 1\n",
		"shell cell": "%%bash\nfor f in *; do\n    echo $f\ndone\n",
		"remainder":  "x = (7\n     % 4)\n",
	} {
		path := filepath.Join(t.TempDir(), "book.ipynb")
		write(t, path, notebookOf(t, cell))
		p := load(t, path)
		if len(p.Warnings) > 0 || len(p.Modules) != 1 {
			t.Errorf("%s: warnings %v", name, p.Warnings)
			continue
		}
		text := string(p.Modules[0].Text)
		if name == "remainder" && !strings.Contains(text, "% 4") {
			t.Errorf("%s: valid Python was changed: %q", name, text)
		}
		if len(text) != len(cell) || name != "shell cell" && name != "remainder" && !strings.Contains(text, "\nx = 1\n") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
