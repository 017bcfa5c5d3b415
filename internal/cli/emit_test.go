package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGive: what saturate wrote and nobody changed is replaced; everything else only when that is asked for.
func TestGive(t *testing.T) {
	text := signed("print('new')\n")
	older := string(signed("print('old')\n"))
	cases := []struct {
		name, there string // "" for no file
		replace     bool
		refused     bool
	}{
		{"nothing is there", "", false, false},
		{"the same is there", string(text), false, false},
		{"one of an earlier version", older, false, false},
		{"one that was printed into a file", older + "\n\n", false, false},
		{"a line was changed", strings.Replace(older, "old", "mine", 1), false, true},
		{"a line was added behind", older + "print('mine')\n", false, true},
		{"a line was added before", "import mine\n" + older, false, true},
		{"the last line was taken away", "print('old')\n", false, true},
		{"the last line of another", "print('old')\n" + string(text[bytes.LastIndex(text, []byte(signature)):]), false, true},
		{"not ours at all", "import torch\n", false, true},
		{"an empty file", "\n", false, true},
		{"changed, and no matter", "import torch\n", true, false},
	}
	for _, c := range cases {
		env := &Env{Dir: t.TempDir()}
		path := filepath.Join(env.Dir, "module.py")
		if c.there != "" {
			if err := os.WriteFile(path, []byte(c.there), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		err := give(env, []gift{{"first.py", text}, {"module.py", text}}, c.replace, otherName)
		if (err != nil) != c.refused || c.refused && exitCode(err) != exitUsage {
			t.Errorf("%s: error %v", c.name, err)
		}
		want := string(text)
		if c.refused {
			want = c.there
		}
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("%s: the file holds %q", c.name, got)
		}
		if _, err := os.Stat(filepath.Join(env.Dir, "first.py")); (err != nil) != c.refused {
			t.Errorf("%s: of two files one was written, or none: %v", c.name, err)
		}
	}
}

// TestExampleIsTheirs: who tries something in the demo's project does not lose it.
func TestExampleIsTheirs(t *testing.T) {
	env := &Env{Dir: t.TempDir()}
	train := filepath.Join(env.Dir, "demo", "whisper-tts", "train.py")
	for range 2 {
		if err := unpackExample(env, "demo", false); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(train, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := unpackExample(env, "demo", false); err == nil || !strings.Contains(err.Error(), "train.py was edited") {
		t.Errorf("error %v", err)
	}
	if got, _ := os.ReadFile(train); string(got) != "mine" {
		t.Errorf("the file holds %.40q", got)
	}
	if err := unpackExample(env, "demo", true); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(train); string(got) == "mine" {
		t.Error("--replace did not write it anew")
	}
}
