//go:build unix

package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// raw are characters that steer a terminal or turn the direction of writing.
var raw = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f-\u009f\u202a-\u202e\u2066-\u2069]")

// nastyProgram has findings for scan, fix, instrument and optimize.
const nastyProgram = `import torch
from torch.utils.data import DataLoader
loader = DataLoader(torch.utils.data.TensorDataset(torch.zeros(8)), batch_size=4, num_workers=0)
model = torch.nn.Linear(1, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for x, in loader:
        x = x.cuda()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        print(loss.item())
`

// TestNamesAreEscaped: whatever a file, folder, flag, voice or column is called, no text output holds what steers a
// terminal.
func TestNamesAreEscaped(t *testing.T) {
	dir := t.TempDir()
	const n = "a\x1b]0;evil\a\x1b[2J\r\nb\u202ec\u009b2Jd" // no slash
	for name, text := range map[string]string{
		n + "/" + n + ".py": nastyProgram + "# \x1b[2J\u202e\n", n + "/train.py": nastyProgram, n + "/broken" + n + ".py": "def f(:\n", n + "/" + n + ".yaml": "a: [1\n" + n,
		n + "/requirements.txt": n + "==1\n", n + "/" + n + ".ipynb": "{", n + ".json": "not a trace " + n, n + ".jsonl": `{"step": 1, "s": 0.1, "` + "\u202e" + `": 1}` + "\n",
		n + ".txt": "One " + n + "\n", n + ".csv": "text," + "c\x1b[2J" + "\nhello,x\n", n + ".wav": "RIFF" + n, n + ".scp": "u " + n + " |\n",
		"settings/saturate.toml": "\"k\\u001b[2J\" = 1\n[scan]\nselect = [\"SAT\\u001b[2J\"]\n", n + ".env": n + "\n",
		"values/saturate.toml": "[tts]\nengine = \"\\u001b[2J\"\n", n + ".patch": "--- a/" + n + "\n+++ b/x\n",
	} {
		path := filepath.Join(dir, name)
		if os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, []byte(text), 0o644) != nil {
			t.Skip("the file system does not take such names")
		}
	}
	home, covered := t.TempDir(), map[string]bool{}
	commands := newRoot(&Env{}).Commands()
	ran := 0
	run := func(at string, args ...string) string {
		var out, said bytes.Buffer
		env := &Env{
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &said, Dir: filepath.Join(dir, at), Now: time.Now, StdoutTerminal: true,
			Vars: []string{"NO_COLOR=1", "PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CACHE_HOME=" + home, "XDG_CONFIG_HOME=" + home},
		}
		code := Main(env, args)
		ran++
		for what, text := range map[string]string{"stdout": out.String(), "stderr": said.String()} {
			if at := raw.FindStringIndex(text); at != nil {
				t.Errorf("%q (exit code %d): %s holds %q", args, code, what, text[max(0, at[0]-60):min(len(text), at[1]+40)])
			}
			if at := strings.Index(text, "\nb\\u202e"); at >= 0 && !slices.Contains(args, "html") { // a name that begins a line could pass for a message of ours
				t.Errorf("%q (exit code %d): a name begins a line of %s: %q", args, code, what, text[max(0, at-60):min(len(text), at+40)])
			}
		}
		for _, a := range args {
			if !strings.HasPrefix(a, "-") {
				covered[a] = true
				break
			}
		}
		return out.String() + said.String()
	}
	project := filepath.Join(dir, n)
	shown := run("", "scan", n, "--exit-zero")
	if !strings.Contains(shown, `a\x1b]0;evil\x07\x1b[2J`) {
		t.Errorf("scan does not show the name, escaped: %s", shown)
	}
	for _, format := range []string{"text", "markdown", "concise", "github", "html"} {
		run("", "scan", n, "--format", format, "--exit-zero")
		if format != "concise" && format != "github" {
			run("", "fix", n, "--unsafe", "--format", format)
			run("", "report", filepath.Join(dir, n+".jsonl"), "--format", format)
		}
	}
	run("", "scan", n, "--statistics", "-v")
	for _, c := range commands {
		name := c.Name()
		run("", name, "--"+n)
		run("", name, "-"+n)
		switch name {
		case "doctor", "demo", "bench", "man", "help": // these would start programs or write files
		case "profile", "tune", "verify", "optimize":
			run("", name, "--", n)
			run("", name, "--", filepath.Join(project, n+".py"))
			run("", name, n, "--", "./"+n)
		case "serve": // it would wait for a browser
			for _, file := range []string{n + "none", n, n + ".json", n + ".jsonl"} {
				run("", name, "--no-open", "--socket", filepath.Join(dir, "no", n), file)
			}
		default:
			run("", name, n+"none")
			run("", name, n)
			run("", name, n+".json")
			run("", name, n+".txt", "-o", filepath.Join(dir, n, "no", n))
			run("", name, "--format", n)
			run("", name, "-o", n+".md", n+".jsonl")
		}
	}
	for _, args := range [][]string{
		{n},
		{"help", n},
		{"--env-file", n + ".env", "config"},
		{"--env-file", n, "config"},
		{"--color", n, "config"},
		{"rule", n},
		{"scan", n, "--select", n},
		{"scan", n, "--baseline", n},
		{"scan", n, "--write-baseline", n + ".baseline"},
		{"scan", n, "-o", n + ".html", "--exit-zero"},
		{"scan", n + "/" + n + ".py", "--exit-zero"},
		{"scan", n + "/broken" + n + ".py"},
		{"scan", n + "/" + n + ".yaml"},
		{"instrument", n + "/" + n + ".py", "--diff"},
		{"instrument", n + "/" + n + ".py"},
		{"instrument", n + "/" + n + ".py", "--remove"},
		{"instrument", n + "/broken" + n + ".py"},
		{"compare", n + ".jsonl", n + ".jsonl"},
		{"compare", n + ".json", n + ".json"},
		{"export", n + ".jsonl", "-o", n + ".out.txt"},
		{"export", n + ".json", "-o", n + ".x"},
		{"analyze", n + ".json"},
		{"analyze", n},
		{"report", n + ".jsonl", n + ".jsonl"},
		{"mel", n + ".wav", "-o", n + ".h5"},
		{"mel", n + ".scp", "-o", n + ".h5"},
		{"mel", n, "-o", n + ".h5"},
		{"mel", n + ".csv", "-o", n + ".h5"},
		{"mel", "--check", n},
		{"mel", "--emit", n},
		{"tts", "--engine", "formant", n + ".txt", "-o", n + "speech"},
		{"mel", n + "speech/manifest.json", "-o", n + "2.h5"},
		{"mel", "--check", n + "2.h5"},
		{"tts", "--engine", "formant", n + ".csv", "-o", n + "speech"},
		{"tts", "--engine", n, n + ".txt", "-o", "x"},
		{"tts", "--engine", "formant", n + ".txt", "--voices", n, "-o", "y"},
		{"tts", "--engine", "formant", n + ".csv", "--text-column", n, "-o", "z"},
		{"tts", "--emit", "python", "--function", n},
		{"tts", "--engine", "command", "--command", n, n + ".txt", "-o", "v"},
		{"tts", "--engine", "openai", "--server", n, n + ".txt", "-o", "w"},
		{"verify", "--before", n, "--after", n + ".patch", "--", "true"},
		{"doctor", "--quick", "--python", n},
		{"fix", n, "--apply", "--unsafe"},
		{"fix", n, "--undo"},
		{"fix", n, "--only", n},
		{"fix", n + "/" + n + ".py", "-o", n + ".diff"},
	} {
		run("", args...)
	}
	run("settings", "scan")
	run("settings", "config")
	run("values", "config")
	run("values", "tts", "x")
	for _, c := range commands {
		if !covered[c.Name()] {
			t.Errorf("%s is not run", c.Name())
		}
	}
	t.Logf("%d commands", ran)

	// What was written: pages for people hold no such characters either.
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".html", ".md"}, filepath.Ext(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		if at := raw.FindIndex(text); at != nil {
			t.Errorf("%q holds %q", path, text[max(0, at[0]-60):min(len(text), at[1]+40)])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
