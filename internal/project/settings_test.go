package project

import (
	"strings"
	"testing"

	"saturate/internal/patch"
)

func parseSettings(name, text string) *Settings {
	var r readFile
	r.readSettings(name, []byte(text))
	return r.settings
}

// TestSettingsEdits sets each scalar in turn: the file still reads, the value is
// the new one, and everything else is as it was.
func TestSettingsEdits(t *testing.T) {
	for name, text := range map[string]string{
		"a.yaml": "# first\na: 1 # one\nb:\n  c: 'x''y'   # two\n  \"d e\": \"q\\\"r\"\n  f: [1, two, {g: 3}]\n  ü: häh\nh: true\ni: ~\nj: 1e-3\nk:   plain words\n",
		"a.json": "{\n  \"a\": 1, // one\n  \"b\": {\"c\": \"x\\\"y\", \"d\": [1, 2.5, {\"e\": null}]},\n  \"f\": true,\n}\n",
		"a.toml": "a = 1 # one\n[b]\nc = \"x\\\"y\"\n'd e' = 'lit'\nf = [1, 2.5, {g = 3}]\nh.i = true\n[[j]]\nk = 1_000\n",
	} {
		s := parseSettings(name, text)
		if s == nil {
			t.Fatalf("%s does not read", name)
		}
		count := 0
		s.Top.each(func(node *Setting) {
			if node.Kind != ScalarSetting {
				return
			}
			count++
			edit := node.SetTo("True")
			changed, err := patch.Edits([]byte(text), []patch.Edit{edit})
			if err != nil {
				t.Fatalf("%s: %s: %v", name, node.Path(), err)
			}
			after := parseSettings(name, string(changed))
			if after == nil {
				t.Fatalf("%s: %s: it no longer reads:\n%s", name, node.Path(), changed)
			}
			before, now := flatten(s), flatten(after)
			for path, v := range now {
				if want := before[path]; path == node.Path() {
					if !v.Bool || v.Type != Bool {
						t.Errorf("%s: %s is %+v after it was set", name, path, v)
					}
				} else if v != want {
					t.Errorf("%s: setting %s changed %s", name, node.Path(), path)
				}
			}
			if len(before) != len(now) {
				t.Errorf("%s: setting %s changed the keys", name, node.Path())
			}
		})
		if count < 6 {
			t.Errorf("%s: only %d values", name, count)
		}
	}
}

func flatten(s *Settings) map[string]Scalar {
	all := map[string]Scalar{}
	s.Top.each(func(n *Setting) {
		if n.Kind == ScalarSetting {
			all[n.Path()] = n.Scalar
		}
	})
	return all
}

func TestSettingsFind(t *testing.T) {
	s := parseSettings("a.yaml", "trainer:\n  precision: 32\n  data:\n    num_workers: 0\nnum_workers: yes\nother: {precision: '16'}\n")
	for path, want := range map[string]int{"trainer.precision": 1, ".precision": 2, ".num_workers": 2, "precision": 0, ".data.num_workers": 1, "trainer.data.num_workers": 1} {
		if got := len(s.Find(path)); got != want {
			t.Errorf("%s: found %d, want %d", path, got, want)
		}
	}
	if v := s.Find("num_workers")[0].Value(); !v.IsTrue() {
		t.Errorf("yes is %+v, not true as Python's YAML has it", v.Scalar)
	}
	if v := s.Find("trainer.precision")[0]; v.String() != "trainer.precision: 32" {
		t.Errorf("shown as %s", v)
	}
}

func TestSettingsOfSeveralDocuments(t *testing.T) {
	s := parseSettings("a.yaml", "just words\n---\ntrainer: {precision: 32}\n---\n---\n- a list\n---\ntrainer:\n  num_workers: 0\nseed: 1\n")
	for _, path := range []string{"trainer.precision", "trainer.num_workers", "seed"} {
		found := s.Find(path)
		if len(found) != 1 {
			t.Fatalf("%s: found %d times", path, len(found))
		}
		if text := s.Text[found[0].Span.Start:found[0].Span.End]; !strings.Contains("32 0 1", string(text)) {
			t.Errorf("%s stands at %q", path, text)
		}
	}
	if got := s.Find("seed")[0].Path(); got != "seed" {
		t.Errorf("the path is %s", got)
	}
}

func TestFramework(t *testing.T) {
	for want, text := range map[string]string{
		"transformers": "output_dir: x\nnum_train_epochs: 3\nper_device_train_batch_size: 8\n",
		"lightning":    "seed: 1\ntrainer:\n  max_epochs: 3\n  precision: 32\n",
		"deepspeed":    "zero_optimization:\n  stage: 2\n",
		"accelerate":   "compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nnum_processes: 1\nmixed_precision: 'no'\n",
		"":             "version: 3\nservices:\n  web:\n    num_workers: 0\n",
	} {
		if got := parseSettings("a.yaml", text).Framework(); got != want {
			t.Errorf("framework %q, want %q for\n%s", got, want, text)
		}
	}
}

// FuzzSettings: no panic, and every span lies in the file and holds the key's text.
func FuzzSettings(f *testing.F) {
	f.Add("yaml", "a: &x {b: [1, 'two']}\nc: *x\n<<: *x\n")
	f.Add("yaml", "a: 1\n---\nb: {c: 2}\n...\n---\n[d]\n--- }\n")
	f.Add("yaml", "? - x\n: |\n  text\n")
	f.Add("json", `{"a": [1, -2.5e3, {"b": null}], "c": "\u00e9"}`)
	f.Add("toml", "a.b = [1, {c = 'x'}]\n[[d]]\n[d.e]\nf = 1979-05-27\n")
	f.Add("gin", "WORKERS = 0  # none\ntrain/make.loader.workers = %WORKERS\nNet.name = \\\n  'a'\nNet.rate = 1e-3\n")
	f.Fuzz(func(t *testing.T, language, text string) {
		if settingsLanguage("x."+language) == "" {
			return
		}
		s := parseSettings("x."+language, text)
		if s == nil {
			return
		}
		nodes := 0
		s.Top.each(func(n *Setting) {
			nodes++
			if n.Span.Start < 0 || n.Span.End < n.Span.Start || int(n.Span.End) > len(text) {
				t.Fatalf("%s at %v, the file has %d bytes", n.Path(), n.Span, len(text))
			}
			if nodes < 50 {
				_ = n.String()
				if e := n.SetTo("1"); e.Path != "" && e.Start < 0 {
					t.Fatalf("edit %+v", e)
				}
			}
		})
		_ = s.Framework()
		_ = strings.Count(text, "\n")
	})
}
