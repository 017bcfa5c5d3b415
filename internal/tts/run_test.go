package tts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"saturate/internal/process"
)

func run(t *testing.T, engine Engine, texts Texts, opt Options) Result {
	t.Helper()
	r, err := Run(context.Background(), engine, texts, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Order and names do not depend on the number of workers.
func TestSameFilesForAnyNumberOfWorkers(t *testing.T) {
	want := ""
	for _, workers := range []int{1, 2, 7} {
		opt := options(t.TempDir())
		opt.Workers, opt.Voices, opt.Variants = workers, []string{"a", "b", "c"}, 4
		r := run(t, formantLike{&fake{}}, numbered(30), opt)
		if r.Made != 120 || r.Entries != 120 {
			t.Fatalf("%+v", r)
		}
		checkFolder(t, opt.Dir, 120)
		got := readAll(t, opt.Dir)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers give another folder:\n%s\nwant\n%s", workers, got[:300], want[:300])
		}
	}
}

// formantLike gives each request its own sound.
type formantLike struct{ *fake }

func (formantLike) Speak(_ context.Context, r Request) ([]byte, error) {
	return tone(r.Text+r.Voice, 0.05*r.Speed), nil
}

// The same text in the same voice is one file, made once, in as many entries as asked.
func TestDuplicatesAreMadeOnce(t *testing.T) {
	texts := numbered(3)
	texts.Items = append(texts.Items, texts.Items...)
	engine, opt := &fake{}, options(t.TempDir())
	if r := run(t, engine, texts, opt); r.Made != 3 || r.Entries != 6 {
		t.Errorf("%+v", r)
	}
	for what, times := range engine.asked {
		if times != 1 {
			t.Errorf("%s was spoken %d times", what, times)
		}
	}
	checkFolder(t, opt.Dir, 6)
}

func TestNothingIsMadeTwice(t *testing.T) {
	opt := options(t.TempDir())
	run(t, &fake{}, numbered(5), opt)
	before := readAll(t, opt.Dir)
	engine := &fake{}
	if r := run(t, engine, numbered(5), opt); r.Made != 0 || r.Reused != 5 || len(engine.asked) != 0 {
		t.Errorf("%+v, asked %v", r, engine.asked)
	}
	if readAll(t, opt.Dir) != before {
		t.Error("the second run changed the folder")
	}
	// More texts later: the old ones stay.
	if r := run(t, engine, numbered(8), opt); r.Made != 3 || r.Reused != 5 {
		t.Errorf("%+v", r)
	}
	checkFolder(t, opt.Dir, 8)
}

// What can be lost between two steps of a run that is killed, or by a careless hand.
func TestRepairs(t *testing.T) {
	file := func(dir string) string {
		files, _ := filepath.Glob(filepath.Join(dir, "audio", "*", "*.wav"))
		return files[0]
	}
	journal := func(dir string) string { return filepath.Join(dir, stateFolder, journalName) }
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, dir string) error
		made   int
	}{
		{"a file is gone", func(t *testing.T, dir string) error { return os.Remove(file(dir)) }, 1},
		{"a file is cut", func(t *testing.T, dir string) error { return os.Truncate(file(dir), 100) }, 1},
		{"a file is empty", func(t *testing.T, dir string) error { return os.Truncate(file(dir), 0) }, 1},
		{"the journal is gone", func(t *testing.T, dir string) error { return os.Remove(journal(dir)) }, 0},
		{"the journal ends in half a line", func(t *testing.T, dir string) error {
			stat, err := os.Stat(journal(dir))
			if err != nil {
				return err
			}
			return os.Truncate(journal(dir), stat.Size()-20)
		}, 0},
		{"the journal is gone and a file is cut", func(t *testing.T, dir string) error {
			return errors.Join(os.Remove(journal(dir)), os.Truncate(file(dir), 100))
		}, 1},
		{"half a file was left", func(t *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, stateFolder, "tmp", "x"), []byte("RIFF"), 0o644)
		}, 0},
		{"the manifest is gone", func(t *testing.T, dir string) error {
			return os.Remove(filepath.Join(dir, "manifest.json"))
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := options(t.TempDir())
			run(t, &fake{}, numbered(6), opt)
			want := readAll(t, opt.Dir)
			if err := tt.damage(t, opt.Dir); err != nil {
				t.Fatal(err)
			}
			if r := run(t, &fake{}, numbered(6), opt); r.Made != tt.made {
				t.Errorf("made %d files, want %d", r.Made, tt.made)
			}
			if readAll(t, opt.Dir) != want {
				t.Error("the folder is not what it was")
			}
			checkFolder(t, opt.Dir, 6)
		})
	}
}

func TestOtherSettings(t *testing.T) {
	opt := options(t.TempDir())
	run(t, &fake{}, numbered(2), opt)
	opt.Rate, opt.Voices = 8000, []string{"b"}
	_, err := Run(context.Background(), &fake{}, numbered(2), opt)
	if !errors.Is(err, errOtherSettings) || !strings.Contains(err.Error(), "rate was 16000, is now 8000; voices was a, is now b") {
		t.Errorf("%v", err)
	}
	opt.Replace = true
	if r := run(t, &fake{}, numbered(2), opt); r.Made != 2 {
		t.Errorf("%+v", r)
	}
}

func TestOneRunAtATime(t *testing.T) {
	opt := options(t.TempDir())
	slow := &fake{speak: func(Request, int) ([]byte, error) {
		time.Sleep(300 * time.Millisecond)
		return tone("x", 0.1), nil
	}}
	done := make(chan error)
	go func() {
		_, err := Run(context.Background(), slow, numbered(2), opt)
		done <- err
	}()
	for {
		if _, err := os.Stat(filepath.Join(opt.Dir, stateFolder, journalName)); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := Run(context.Background(), slow, numbered(2), opt); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("%v", err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Failures are listed with their reason, the others are finished, and the next run tries again.
func TestFailuresAreListedAndRetried(t *testing.T) {
	opt := options(t.TempDir())
	bad := &fake{speak: func(r Request, times int) ([]byte, error) {
		switch {
		case strings.HasSuffix(r.Text, " 3"):
			return nil, permanent("the engine cannot say 3")
		case strings.HasSuffix(r.Text, " 4") && times < 3:
			return nil, errors.New("not in the mood")
		case strings.HasSuffix(r.Text, " 5"):
			return nil, errors.New("never")
		}
		return tone(r.Text, 0.05), nil
	}}
	r := run(t, bad, numbered(7), opt)
	if len(r.Failed) != 2 || r.Failed[0].Reason != "the engine cannot say 3" || r.Failed[1].Reason != "never (tried 3 times)" || r.Failed[1].Place != "line 6" {
		t.Errorf("%+v", r.Failed)
	}
	if bad.asked["sentence number 3/a"] != 1 || bad.asked["sentence number 4/a"] != 3 {
		t.Errorf("%v", bad.asked)
	}
	checkFolder(t, opt.Dir, 5)
	if _, err := os.Stat(filepath.Join(opt.Dir, failuresName)); err != nil {
		t.Error(err)
	}
	if r := run(t, &fake{}, numbered(7), opt); r.Made != 2 || len(r.Failed) != 0 {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(opt.Dir, failuresName)); err == nil {
		t.Error("the list of failures is still there")
	}
	checkFolder(t, opt.Dir, 7)
}

func TestHopelessStopsEverything(t *testing.T) {
	opt := options(t.TempDir())
	opt.Workers = 1
	engine := &fake{speak: func(r Request, _ int) ([]byte, error) {
		if strings.HasSuffix(r.Text, " 2") {
			return nil, hopeless("wrong key")
		}
		return tone(r.Text, 0.05), nil
	}}
	_, err := Run(context.Background(), engine, numbered(50), opt)
	if err == nil || !strings.Contains(err.Error(), "wrong key\n2 of 50 files finished;") || len(engine.asked) != 3 {
		t.Errorf("%v; asked %d times", err, len(engine.asked))
	}
	if r := run(t, &fake{}, numbered(50), opt); r.Reused != 2 {
		t.Errorf("%+v", r)
	}
}

func TestStopped(t *testing.T) {
	opt := options(t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	engine := &fake{}
	engine.speak = func(r Request, _ int) ([]byte, error) {
		engine.mu.Lock()
		if n++; n == 5 {
			cancel()
		}
		engine.mu.Unlock()
		return tone(r.Text, 0.05), nil
	}
	_, err := Run(ctx, engine, numbered(200), opt)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the same command resumes") {
		t.Errorf("%v", err)
	}
	kept := journalLines(t, opt.Dir)
	if kept == 0 || kept > 20 {
		t.Errorf("%d files kept", kept)
	}
	if r := run(t, &fake{}, numbered(200), opt); r.Reused != kept || r.Made != 200-kept {
		t.Errorf("%+v", r)
	}
	checkFolder(t, opt.Dir, 200)
}

// Programs that misbehave: the reason is said, and the other texts do not suffer.
func TestPrograms(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	remember := t.TempDir()
	for how, want := range map[string]string{
		"good":                            "",
		"file {text_file} {out}":          "",
		"mood " + remember:                "",
		"crash":                           "segmentation fault, sorry (exit status 139)",
		"hang":                            "timed out",
		"nothing":                         "command wrote no audio",
		"html":                            "the file is a web page, not audio",
		"truncated":                       "the file ends early",
		"silent":                          "returned only silence",
		"file {text_file} /nowhere/{out}": "wrote no file to {out}",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			engine, err := newCommand(Config{Command: "'" + self + "' engine " + how, Env: os.Environ()})
			if err != nil {
				t.Fatal(err)
			}
			opt := options(t.TempDir())
			opt.Retries = 1
			if how == "hang" {
				opt.Timeout = 300 * time.Millisecond
			}
			texts := numbered(1)
			texts.Items = append(texts.Items, Item{Text: "--version; rm -rf $HOME `x` \"'", Place: "line 2"})
			r := run(t, engine, texts, opt)
			if want == "" {
				if len(r.Failed) > 0 || r.Made != 2 {
					t.Errorf("%+v", r)
				}
				checkFolder(t, opt.Dir, 2)
				return
			}
			if len(r.Failed) != 2 || !strings.Contains(r.Failed[0].Reason, want) {
				t.Errorf("%+v, want %q", r.Failed, want)
			}
		})
	}
}

func TestCommandRefuses(t *testing.T) {
	for command, want := range map[string]string{
		"":                "needs --command",
		"say {text}":      "is unsafe as an argument",
		"say {nonsense}":  "unknown placeholder {nonsense}",
		"say 'unfinished": "unclosed quote",
	} {
		if _, err := newCommand(Config{Command: command}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", command, err, want)
		}
	}
	engine, err := newCommand(Config{Command: "no-such-program-anywhere"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Prepare(context.Background(), nil); !errors.Is(err, ErrMissing) {
		t.Errorf("%v", err)
	}
}

func TestSplitWords(t *testing.T) {
	got, err := process.Words(`a  'b c' "d \"e" f\ g ''`)
	if want := "a|b c|d \"e|f g|"; err != nil || strings.Join(got, "|") != want {
		t.Errorf("%q %v, want %q", strings.Join(got, "|"), err, want)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	opt := options(filepath.Join(t.TempDir(), "not", "yet"))
	opt.DryRun = true
	r := run(t, &fake{}, numbered(100), opt)
	if e := r.Estimate; e.Tried != 6 || e.Files != 100 || e.AudioSeconds < 4 || e.AudioSeconds > 6 || e.Bytes < 100*1600 {
		t.Errorf("%+v", e)
	}
	if _, err := os.Stat(opt.Dir); err == nil {
		t.Error("a dry run made the folder")
	}
}

func TestNeMoManifest(t *testing.T) {
	opt := options(t.TempDir())
	opt.Manifest, opt.Absolute = "nemo", true
	texts := Texts{Items: []Item{{Text: "a <b> & ü", Place: "line 1", Columns: []Column{{"speaker", []byte(`"s1"`)}, {"duration", []byte(`3`)}}}}}
	r := run(t, &fake{}, texts, opt)
	data, err := os.ReadFile(r.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	line := string(data)
	for _, want := range []string{`{"audio_filepath": "` + opt.Dir, `"text": "a <b> & ü", "duration": 0.050000`, `"speaker": "s1", "input_duration": 3}` + "\n"} {
		if !strings.Contains(line, want) {
			t.Errorf("%s lacks %s", line, want)
		}
	}
	if strings.Count(line, "\n") != 1 {
		t.Errorf("%q is not one line", line)
	}
}

// A folder with somebody else's manifest is left alone.
func TestForeignManifest(t *testing.T) {
	for _, name := range []string{"manifest.json", "manifest.jsonl", failuresName} {
		opt := options(t.TempDir())
		path := filepath.Join(opt.Dir, name)
		if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the refusal leaves nothing that would make a second try pass
			if _, err := Run(context.Background(), &fake{}, numbered(1), opt); err == nil || !strings.Contains(err.Error(), "did not write") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != "mine" {
			t.Errorf("%s is now %q, %v", name, data, err)
		}
	}
}

func TestColumnsKeepApart(t *testing.T) {
	opt := options(t.TempDir())
	texts, err := ReadTexts("a.jsonl", strings.NewReader(`{"text": "hello", "duration": 5, "input_duration": 6}`), TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run(t, &fake{}, texts, opt)
	if list, err := os.ReadFile(filepath.Join(opt.Dir, "manifest.json")); err != nil || !strings.Contains(string(list), `"input_input_duration": 5, "input_duration": 6}`) {
		t.Errorf("%v %s", err, list)
	}
	if _, err := ReadTexts("a.txt", strings.NewReader("hello"), TextOptions{Column: "said"}); err == nil || !strings.Contains(err.Error(), "read as one text per line") {
		t.Errorf("%v", err)
	}
}
