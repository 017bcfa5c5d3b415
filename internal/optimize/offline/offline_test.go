package offline

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
	"saturate/internal/rule"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// What each shape becomes, as a person would review it.
func TestPatches(t *testing.T) {
	shapes, err := filepath.Glob("testdata/shapes/*")
	if err != nil || len(shapes) == 0 {
		t.Fatal("no shapes: ", err)
	}
	for _, from := range append(shapes, "../../../examples/whisper-tts") {
		t.Run(filepath.Base(from), func(t *testing.T) {
			golden, err := filepath.Abs(filepath.Join("testdata/golden", filepath.Base(from)+".diff"))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(copied(t, from))
			r, refused := repaired(t, ".", "python", "train.py", "--size", "tiny")
			got := said(t, r, refused)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// said is a repair as text.
func said(t *testing.T, r Repair, refused []Refusal) string {
	t.Helper()
	var b strings.Builder
	changes, err := patch.Changes(".", []patch.Patch{r.Patch}, nil)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%s\n\n", r.Title)
	for _, k := range r.Kept {
		fmt.Fprintf(&b, "kept %s by %s\n", k.Place, strings.Join(k.Inputs, ", "))
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "settles %s %s:%d\n", f.Code, f.Where.Path, f.Where.Line)
	}
	for _, f := range r.NewFiles {
		fmt.Fprintf(&b, "writes %s\n", f.Path)
	}
	for _, line := range append(r.Instructions, r.Notes...) {
		fmt.Fprintf(&b, "%s\n", line)
	}
	for _, x := range refused {
		fmt.Fprintf(&b, "refused %s: %s\n", x.Finding.Code, x.Reason)
	}
	fmt.Fprintf(&b, "\n%s", patch.Diff(changes))
	return b.String()
}

func TestRepairedSourceParses(t *testing.T) {
	shapes, _ := filepath.Glob("testdata/shapes/*")
	for _, from := range shapes {
		dir := copied(t, from)
		r, _ := repaired(t, dir)
		apply(t, r)
		p, err := project.Load(context.Background(), []string{dir}, project.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Warnings) > 0 {
			t.Errorf("%s: %v", from, p.Warnings)
		}
	}
}

// With the code in its own tree, a project imports nothing new and holds nothing it does not need; without, a reviewer
// reads two short files.
func TestVendored(t *testing.T) {
	command := []string{"python", "train.py", "--size", "tiny"}
	for _, vendor := range []bool{true, false} {
		r, _ := repairedBy(t, copied(t, "../../../examples/whisper-tts"), Options{Command: command, Vendor: vendor})
		lines := 0
		for _, f := range r.NewFiles {
			lines += strings.Count(f.Text, "\n")
			if !strings.HasSuffix(f.Path, ".py") {
				continue
			}
			if err := pysrc.Parse(f.Path, []byte(f.Text)).Err(); err != nil {
				t.Errorf("%s: %v", f.Path, err)
			}
			if vendor && (strings.Contains(f.Text, "import saturate_gpu") || strings.Contains(f.Text, "from saturate_gpu") || strings.Contains(f.Text, "from .")) {
				t.Errorf("%s imports what is not in the project", f.Path)
			}
		}
		if most := map[bool]int{true: 600, false: 60}[vendor]; lines > most {
			t.Errorf("the patch adds %d lines in new files, want at most %d", lines, most)
		}
	}
}

// What is left to repair afterwards must still be found: the modules that came with the repair speak of much, bfloat16
// among it, and say nothing about the project.
func TestOtherFindingsStay(t *testing.T) {
	dir := copied(t, "../../../examples/whisper-tts")
	before := codes(t, dir)
	r, _ := repairedBy(t, dir, Options{Command: []string{"python", "train.py", "--size", "tiny"}, Vendor: true})
	apply(t, r)
	after := codes(t, dir)
	for _, f := range r.Findings {
		delete(before, f.Code)
	}
	if diff := cmp.Diff(before, after); diff != "" || len(after) < 7 {
		t.Errorf("rules that find something (-before +after):\n%s", diff)
	}
}

// codes are the rules that find something in a project.
func codes(t *testing.T, dir string) map[string]bool {
	t.Helper()
	p, err := project.Load(context.Background(), []string{dir}, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := rule.OnSource(context.Background(), p, rule.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]bool{}
	for _, f := range found.Findings {
		list[f.Code] = true
	}
	return list
}

// A copy defines nothing that it does not use, whatever it is needed for, and says nothing about other copies.
func TestCopiesHoldWhatTheyUse(t *testing.T) {
	defined := regexp.MustCompile(`(?m)^(?:def|class) (\w+)`)
	for _, needed := range [][]string{nil, {"wav"}, {"path", "copy"}, {"drawn"}, {"env", "collate"}, {"stream"}, {"stream", "drawn"}, {"transformers", "image"}, {"image", "compose"}, {"image", "compose", "folder"}} {
		text := vendored(needed)
		if err := pysrc.Parse("saturate_offline.py", []byte(text)).Err(); err != nil {
			t.Errorf("%v: %v", needed, err)
		}
		for _, m := range defined.FindAllStringSubmatch(text, -1) {
			if n := len(regexp.MustCompile(`\b`+m[1]+`\b`).FindAllString(text, -1)); n < 2 && !slices.Contains([]string{"main", "setup", "kept", "drawn", "first", "rest", "folder"}, m[1]) {
				t.Errorf("%v: %s is not used", needed, m[1])
			}
		}
		for _, word := range []string{"only:", "builder", "Enough", "\n\n\n\n", "from ."} {
			if strings.Contains(text, word) {
				t.Errorf("%v: the copy contains %q", needed, word)
			}
		}
	}
}

const head = `import random, time
import numpy as np
import torch
from gtts import gTTS
from TTS.api import TTS
from torch.utils.data import Dataset, DataLoader


`

// Where the value cannot be found again, or keeping it would change something else, the repair says so and why.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct{ name, source, reason string }{
		{"a speed from an unbounded range", `
class D(Dataset):
    def __init__(self): self.tts = TTS("x")
    def __len__(self): return 3
    def __getitem__(self, i):
        speed = random.uniform(0.9, 1.1)
        return self.tts.tts(text=self.texts[i], speed=speed)
`, "draws from an unbounded range"},
		{"noise in the engine's own function", `
class D(Dataset):
    def __init__(self): self.tts = TTS("x")
    def __len__(self): return 3
    def __getitem__(self, i):
        return self.tts.tts(text=self.texts[i], noise=np.random.randn(3))
`, "draws from an unbounded range"},
		{"the engine counts", `
class Engine:
    def __init__(self):
        self.tts = TTS("x")
        self.count = 0
    def say(self, text):
        self.count += 1
        return self.tts.tts(text=text, speaker=self.count % 3)
class D(Dataset):
    def __init__(self): self.engine = Engine()
    def __len__(self): return 3
    def __getitem__(self, i):
        return self.engine.say(self.texts[i])
`, "self.count differs each time"},
		{"kept already", `
import functools
@functools.lru_cache(None)
def say(text):
    return TTS("x").tts(text=text)
class D(Dataset):
    def __len__(self): return 3
    def __getitem__(self, i):
        return say(self.texts[i])
`, "already caches it"},
		{"nothing comes back", `
class D(Dataset):
    def __len__(self): return 3
    def __getitem__(self, i):
        gTTS(self.texts[i]).save("out.mp3")
        return i
`, "does not produce a value"},
		{"an await in a stream", `
class D(Dataset):
    async def __getitem__(self, i):
        return TTS("x").tts(text=self.texts[i])
    def __len__(self): return 3
`, "async"},
		{"it counts in a list", `
class D(Dataset):
    def __init__(self): self.tts, self.seen = TTS("x"), []
    def __len__(self): return 3
    def say(self, text):
        self.seen.append(text)
        return self.tts.tts(text=text, speaker=len(self.seen) % 2)
    def __getitem__(self, i):
        return self.say(self.texts[i])
`, "self.seen differs each time"},
		{"it counts in a dict of the module", `
STATE = {"calls": 0}
tts = TTS("x")
def say(text):
    STATE["calls"] += 1
    return tts.tts(text=text, speaker=STATE["calls"] % 2)
class D(Dataset):
    def __len__(self): return 3
    def __getitem__(self, i):
        return say(self.texts[i])
`, "differs each time"},
		{"voices in turn", `
class D(Dataset):
    def __init__(self): self.tts, self.voices = TTS("x"), iter("abab")
    def __len__(self): return 3
    def __getitem__(self, i):
        return self.tts.tts(text=self.texts[i], speaker=next(self.voices))
`, "changes self.voices each time"},
		{"voices from a pile", `
class D(Dataset):
    def __init__(self): self.tts, self.voices = TTS("x"), list("abab")
    def __len__(self): return 3
    def __getitem__(self, i):
        return self.tts.tts(text=self.texts[i], speaker=self.voices.pop())
`, "changes self.voices each time"},
		{"a property that draws", `
class D(Dataset):
    def __init__(self): self.tts = TTS("x")
    @property
    def voice(self): return random.choice(["a", "b"])
    def __len__(self): return 3
    def __getitem__(self, i):
        return self.tts.tts(text=self.texts[i], speaker=self.voice)
`, "D.voice draws random numbers"},
		{"a derived class draws", `
class D(Dataset):
    def __init__(self): self.tts = TTS("x")
    def __len__(self): return 3
    def voice(self): return "a"
    def __getitem__(self, i):
        return self.tts.tts(text=self.texts[i], speaker=self.voice())
class Mine(D):
    def voice(self): return random.choice(["a", "b"])
`, "Mine.voice draws random numbers"},
		{"a derived class reads something else", `
class D(Dataset):
    def __init__(self): self.tts = TTS("x")
    def __len__(self): return 3
    def voice(self): return "a"
    def __getitem__(self, i):
        return self.tts.tts(text=self.texts[i], speaker=self.voice())
class Mine(D):
    def voice(self): return self.name
`, "D.voice is overridden in Mine"},
		{"it depends on the worker", `
class D(Dataset):
    def __init__(self): self.tts = TTS("x")
    def __len__(self): return 3
    def __getitem__(self, i):
        info = torch.utils.data.get_worker_info()
        return self.tts.tts(text=self.texts[i], speaker=info.id if info else 0)
`, "depends on the process it runs in"},
		{"it depends on the epoch", `
class D(Dataset):
    def __init__(self): self.tts, self.epoch = TTS("x"), 0
    def set_epoch(self, epoch): self.epoch = epoch
    def __len__(self): return 3
    def __getitem__(self, i):
        return self.tts.tts(text=self.texts[i], speed=1 + self.epoch / 10)
`, "self.epoch changes when D.set_epoch is called"},
		{"a seed that depends on the epoch", `
class D(Dataset):
    def __init__(self): self.tts, self.epoch = TTS("x"), 0
    def set_epoch(self, epoch): self.epoch = epoch
    def __len__(self): return 3
    def __getitem__(self, i):
        voice = random.Random(self.epoch + i).choice("ab")
        return self.tts.tts(text=self.texts[i], speaker=voice)
`, "self.epoch changes when D.set_epoch is called"},
		{"words in any order", `
class D(Dataset):
    def __init__(self): self.tts = TTS("x")
    def __len__(self): return 3
    def __getitem__(self, i):
        words = self.texts[i].split()
        random.shuffle(words)
        return self.tts.tts(text=" ".join(words))
`, "random.shuffle(words) draws from an unbounded range"},
		{"all of the data set", `
class D(Dataset):
    def __init__(self): self.tts = TTS("x")
    def __len__(self): return 3
    def __getitem__(self, i):
        return self.tts.tts(text=self, speaker=1)
`, "it uses self as a whole"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := project.FromSources(context.Background(), map[string][]byte{"train.py": []byte(head + strings.TrimLeft(tt.source, "\n"))})
			if err != nil {
				t.Fatal(err)
			}
			found, err := rule.OnSource(context.Background(), p, rule.Selection{Select: []string{"SAT101"}})
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Findings) == 0 {
				t.Fatal("the rule finds nothing here")
			}
			r, refused := Offline(p, found.Findings, Options{})
			if len(refused) != 1 || !strings.Contains(refused[0].Reason, tt.reason) {
				t.Fatalf("kept %v, refused %v, want %q", r.Kept, refused, tt.reason)
			}
			if len(r.Patch.Edits) > 0 {
				t.Error("and yet something is changed")
			}
			if tt.name != "kept already" && (len(refused[0].Scaffold) == 0 || len(refused[0].Instructions) == 0) {
				t.Error("there is no scaffold to go on with")
			}
		})
	}
}

// Everything that decides a value is among the inputs.
func TestInputs(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"return self.tts.tts(text=self.texts[i])", "self.tts self.texts[i]"},
		{"row = self.rows[i]\n        return self.tts.tts(text=row['text'], speaker=row.speaker)", "self.tts row['text'] row.speaker"},
		{"return [self.tts.tts(text=t, speaker=RATE) for t in self.texts[i]]", "self.tts t RATE"},
		{"return list(map(lambda t: self.tts.tts(text=t), self.texts[i]))", "self.tts self.texts[i]"},
		{"return self.tts.tts(text=self.texts[i] if i else self.other[i])", "self.tts i self.texts self.other"},
		{"return self.tts.tts(text=f'{self.prefix} {self.texts[i]}')", "self.tts self.prefix self.texts[i]"},
		{"return self.tts.tts(text=self.texts[int(i)])", "self.tts self.texts i"},
		{"return self.say(self.texts[i])", "self.tts self.voice self.texts[i]"},
		{"return self.tts.tts(text=self.texts[i], speaker=self.voice.name if self.voice else 'a')", "self.tts self.texts[i] self.voice"},
		{"row = {'text': self.texts[i]}\n        row['text'] = row['text'] if random.random() < 0.5 else ''\n        return self.tts.tts(text=row['text'])", "self.tts row['text']"},
		{"return list(self.parts(self.texts[i]))", "self.tts self.texts[i]"},
		{"return [part for part in self.parts(self.texts[i])]", "self.tts part"},
		{"return self.at(i)", "self.tts self.texts[index]"},
		{"import TTS.api as engine\n        return engine.TTS('x').tts(text=self.texts[i])", "self.texts[i]"},
		{"return self.lazy(self.texts[i])", "self.texts[i]"},
		{"voice = random.choice(VOICES)\n        return self.tts.tts(text=self.texts[i], speaker=voice)", "self.tts self.texts[i] voice"},
		{"return self.tts.tts(text=self.texts[i], speaker=random.choice(VOICES))", "self.tts self.texts[i] VOICES drawn_1"},
	} {
		source := head + `RATE = 16000
VOICES = ["a", "b"]


class D(Dataset):
    def __init__(self, texts, voice):
        self.tts = TTS("x")
        self.texts, self.voice, self.engine = texts, voice, None

    def __len__(self):
        return len(self.texts)

    def say(self, text):
        return self.tts.tts(text=text, speaker=self.voice)

    def parts(self, text):
        for part in text.split("."):
            yield self.tts.tts(text=part)

    def at(self, index):
        return self.tts.tts(text=self.texts[index])

    def lazy(self, text):
        if self.engine is None:
            self.engine = TTS("y")
        return self.engine.tts(text=text)

    def __getitem__(self, i):
        ` + tt.body + "\n"
		p, err := project.FromSources(context.Background(), map[string][]byte{"train.py": []byte(source)})
		if err != nil {
			t.Fatal(err)
		}
		found, err := rule.OnSource(context.Background(), p, rule.Selection{Select: []string{"SAT101"}})
		if err != nil {
			t.Fatal(err)
		}
		r, refused := Offline(p, found.Findings, Options{})
		var got []string
		for _, k := range r.Kept {
			got = append(got, strings.Join(k.Inputs, " "))
		}
		if len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s\n got %q refused %v\nwant %q", tt.body, got, refused, tt.want)
		}
	}
}
