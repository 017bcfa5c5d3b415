package offline

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

type program struct {
	Dir  string            `json:"dir"`
	Argv []string          `json:"argv"`
	Env  map[string]string `json:"env"`
}

type ended struct {
	Code   int    `json:"code"`
	Output string `json:"output"`
}

// host is the Python that runs the programs of all tests. It ends with its standard input, and so with the tests.
var host struct {
	start sync.Once
	in    *json.Encoder
	out   *json.Decoder
	err   error
}

func startHost(python string) (err error) {
	library, err := filepath.Abs("testdata/library")
	if err != nil {
		return err
	}
	runtime, err := filepath.Abs("../../../python")
	if err != nil {
		return err
	}
	cmd := exec.Command(python, "testdata/runs.py")
	cmd.Env = append(os.Environ(), "PYTHONPATH="+library+string(os.PathListSeparator)+runtime, "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	host.in, host.out = json.NewEncoder(in), json.NewDecoder(out)
	return cmd.Start()
}

// runAll runs programs under one Python, so that torch and other modules are imported once.
func runAll(t *testing.T, programs []program, modules ...string) []ended {
	t.Helper()
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: torch is needed to train")
	}
	host.start.Do(func() { host.err = startHost(python) })
	if host.err != nil {
		t.Fatal(host.err)
	}
	var list []ended
	if err := host.in.Encode(map[string]any{"modules": modules, "programs": programs}); err != nil {
		t.Fatal(err)
	}
	if err := host.out.Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// server speaks as a program on the network does.
func server(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seed := crc32.ChecksumIEEE(body)
		samples := make([]int16, 2000+len(body))
		for i := range samples {
			seed = seed*1664525 + 1013904223
			samples[i] = int16(seed >> 17)
		}
		w.Write(make([]byte, 44))
		_ = binary.Write(w, binary.LittleEndian, samples)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// shape is a project that makes or reads audio in its own way.
func shape(t *testing.T, name string) string {
	t.Helper()
	dir := copied(t, filepath.Join("testdata/shapes", name))
	for _, file := range []string{"train.py", "texts.txt"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Each shape trains for 50 steps as it was, then repaired: the same samples in the same order, bit for bit. The engine
// is called for the one text that was not prepared, as before, and for no other.
func TestShapesTrainOnTheSameSamples(t *testing.T) {
	if os.Getenv("SATURATE_TEST_PYTHON") == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: torch is needed to train")
	}
	url := server(t)
	bin, err := filepath.Abs("testdata/library/bin")
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir("testdata/shapes")
	if err != nil {
		t.Fatal(err)
	}
	const unknown = "A sentence that nobody prepared."
	var programs []program
	var dirs []string
	for i, f := range folders {
		dir := shape(t, f.Name())
		texts, err := os.ReadFile(filepath.Join(dir, "texts.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "more.txt"), []byte(string(texts)+unknown+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		before := copied(t, dir)
		r, refused := repairedBy(t, dir, Options{Vendor: i%2 == 0}) // every other one has the code in its own tree
		if len(refused) > 0 || len(r.Patch.Edits) == 0 {
			t.Fatalf("%s: not repaired: %v", f.Name(), refused)
		}
		apply(t, r)
		env := func(log string) map[string]string {
			return map[string]string{"TTS_URL": url, "SPEECH_LOG": filepath.Join(dir, log), "PATH": bin + ":" + os.Getenv("PATH")}
		}
		dirs = append(dirs, dir)
		programs = append(programs,
			program{Dir: before, Argv: []string{"train.py", "--texts", "more.txt", "--log", filepath.Join(dir, "before.jsonl")}, Env: env("spoken-before")},
			program{Dir: dir, Argv: r.Prepare[0].Words[1:], Env: env("spoken-once")},
			program{Dir: dir, Argv: []string{"train.py", "--texts", "more.txt", "--log", "after.jsonl"}, Env: env("spoken-after")},
		)
	}
	results := runAll(t, programs)
	for i, f := range folders {
		t.Run(f.Name(), func(t *testing.T) {
			dir, results := dirs[i], results[3*i:3*i+3]
			for k, r := range results {
				if r.Code != 0 {
					t.Fatalf("run %d ended with %d:\n%s", k, r.Code, r.Output)
				}
			}
			same(t, filepath.Join(dir, "before.jsonl"), filepath.Join(dir, "after.jsonl"), 50)
			if !strings.Contains(results[2].Output, "is not in") {
				t.Errorf("nothing was said about what is not prepared:\n%s", results[2].Output)
			}
			once, after := lines(t, filepath.Join(dir, "spoken-once")), lines(t, filepath.Join(dir, "spoken-after"))
			switch f.Name() {
			case "decode_resample", "http_engine":
				return // nothing there notes its calls
			case "random_voice":
				if n := len(unique(once)); n != 12*3*2 {
					t.Errorf("%d clips were made, not one for each of 12 texts, 3 voices and 2 ways to write", n)
				}
			default:
				if n := len(unique(once)); n != 12 {
					t.Errorf("%d clips were made for 12 texts", n)
				}
			}
			if len(after) == 0 {
				t.Error("the unknown text was not spoken")
			}
			for _, line := range after {
				if !strings.Contains(strings.ToLower(line), strings.ToLower(unknown)) {
					t.Errorf("the engine was called for a prepared text: %q", line)
				}
			}
		})
	}
}

// same compares what two runs noted of every step.
func same(t *testing.T, before, after string, steps int) {
	t.Helper()
	a, b := lines(t, before), lines(t, after)
	if len(a) != steps || len(b) != steps {
		t.Fatalf("%d steps before and %d after, want %d", len(a), len(b), steps)
	}
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("step %d differs\nbefore %s\nafter  %s", i, a[i], b[i])
		}
	}
}

func unique(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// A preparation that is killed goes on where it was: no text is spoken twice but those at hand, and the result is
// whole.
func TestPreparationResumes(t *testing.T) {
	dir := shape(t, "engine_object")
	var texts strings.Builder
	for i := range 60 {
		fmt.Fprintf(&texts, "This is sentence number %d.\n", i)
	}
	if err := os.WriteFile(filepath.Join(dir, "texts.txt"), []byte(texts.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	r, _ := repaired(t, dir)
	apply(t, r)
	spoken := filepath.Join(dir, "spoken")
	prepare := program{Dir: dir, Argv: append([]string{r.Prepare[0].Words[1], "--workers", "2"}, r.Prepare[0].Words[2:]...), Env: map[string]string{"SPEECH_LOG": spoken}}
	killed := prepare
	killed.Env = map[string]string{"SPEECH_LOG": spoken, "SPEECH_KILLS_AT": "600"}
	results := runAll(t, []program{killed, prepare, prepare})
	if results[0].Code != -9 {
		t.Fatalf("the first run was not killed: %d\n%s", results[0].Code, results[0].Output)
	}
	for _, again := range results[1:] {
		if again.Code != 0 {
			t.Fatalf("the run after it failed:\n%s", again.Output)
		}
	}
	// Each of the three runs makes its first samples again, to see that they are the same.
	if n, all := len(lines(t, spoken)), len(unique(lines(t, spoken))); all != 60 || n > 60+4+3*6 {
		t.Errorf("%d texts of 60 were spoken, in %d calls", all, n)
	}
	listed := lines(t, filepath.Join(dir, "offline/speech/manifest.jsonl"))
	for _, line := range listed {
		var entry struct {
			Audio string `json:"audio_filepath"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Audio == "" {
			t.Errorf("%v: %s", err, line)
		}
	}
	if len(listed) != 60 {
		t.Errorf("the manifest lists %d of 60", len(listed))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "offline/*/*/.*")); len(left) > 2 {
		t.Errorf("left behind: %v", left)
	}
}

// Files that a program finds beside itself have the same names when the cache is filled and when it is read.
func TestPreparationSeesTheSameFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"fill.py": "from saturate_gpu import prepare\n\nprepare.main(in_collate=False)\n",
		"train.py": `
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset

from saturate_gpu.offline import cache, kept, setup

setup(__file__, "fill it", {"rows": {"what": "a row", "code": {}}})


class Rows(Dataset):
    paths = [Path(__file__).parent / f"{i}.txt" for i in range(3)]

    def __len__(self):
        return 3

    def __getitem__(self, index):
        path = self.paths[index]
        return kept("rows", lambda: torch.tensor(float(path.read_text())), path)


print([row.item() for row in DataLoader(Rows())], cache.shelves["rows"].missed, "missed")
`,
		"0.txt": "0", "1.txt": "1", "2.txt": "2",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runs := runAll(t, []program{{Dir: dir, Argv: []string{"fill.py", "train.py"}}, {Dir: dir, Argv: []string{"train.py"}}})
	if runs[0].Code != 0 || !strings.Contains(runs[1].Output, "[0.0, 1.0, 2.0] 0 missed") {
		t.Errorf("%s\n%s", runs[0].Output, runs[1].Output)
	}
}

// A program that begins to train without asking for what is kept is ended there, with the reason: it might never end by
// itself.
func TestPreparationNeverTrains(t *testing.T) {
	const other = `
import torch
from torch.utils.data import DataLoader

from data import make_dataset

make_dataset(["never asked for"])
model = torch.nn.Linear(1, 1)
while True:
    for x in DataLoader(torch.ones(8, 1), batch_size=4):
        model(x).sum().backward()
        open("trained", "w").close()
`
	dir := shape(t, "engine_object")
	r, _ := repaired(t, dir)
	apply(t, r)
	if err := os.WriteFile(filepath.Join(dir, "train.py"), []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	ended := runAll(t, []program{{Dir: dir, Argv: r.Prepare[0].Words[1:]}})[0]
	if ended.Code != 1 || !strings.Contains(ended.Output, "training began before a DataLoader asked") || !strings.Contains(ended.Output, "no sample asked") {
		t.Errorf("ended with %d:\n%s", ended.Code, ended.Output)
	}
	if _, err := os.Stat(filepath.Join(dir, "trained")); err == nil {
		t.Error("it has trained")
	}
}

// The helper by itself: what comes back, what counts as the same, what is refused.
func TestHelperKeepsItsPromises(t *testing.T) {
	dir := t.TempDir()
	checks, err := os.ReadFile("testdata/checks.py")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"saturate_offline.py": []byte(vendored([]string{"rows", "wav", "path", "copy", "drawn", "env", "image", "compose", "folder", "transformers"})), "checks.py": checks} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if r := runAll(t, []program{{Dir: dir, Argv: []string{"checks.py"}}})[0]; r.Code != 0 || !strings.Contains(r.Output, "all kept") {
		t.Fatalf("ended with %d:\n%s", r.Code, r.Output)
	}
}
