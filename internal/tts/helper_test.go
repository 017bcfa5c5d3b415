package tts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"saturate/internal/audio"
)

// TestMain lets the test's own program be an engine that misbehaves, and a run that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "engine" {
		os.Exit(misbehave(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) > 2 && os.Args[1] == "run" {
		os.Exit(runToBeKilled(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// tone is a short file whose pitch depends on the text.
func tone(text string, seconds float64) []byte {
	n := int(16000 * seconds)
	samples := make([]int16, n)
	period := 20 + int(sha256.Sum256([]byte(text))[0])/4
	for i := range samples {
		samples[i] = int16(8000 * (i%period - period/2) / period)
	}
	data, err := audio.AppendWAV(nil, 16000, 1, samples)
	if err != nil {
		panic(err)
	}
	return data
}

// misbehave is an engine as a program.
func misbehave(how string, args []string) int {
	text, _ := io.ReadAll(os.Stdin)
	good := tone(string(text), 0.1)
	switch how {
	case "good":
		os.Stdout.Write(good)
	case "file": // IN OUT
		text, err := os.ReadFile(args[0])
		if err != nil {
			return 1
		}
		os.WriteFile(args[1], tone(string(text), 0.1), 0o644)
	case "crash":
		os.Stdout.Write(good[:100])
		fmt.Fprintln(os.Stderr, "segmentation fault, sorry")
		return 139
	case "hang":
		time.Sleep(time.Hour)
	case "nothing":
	case "html":
		fmt.Println("<!DOCTYPE html><html><body>502 Bad Gateway</body></html>")
	case "truncated":
		os.Stdout.Write(good[:len(good)/2])
	case "silent":
		data, _ := audio.AppendWAV(nil, 16000, 1, make([]int16, 1600))
		os.Stdout.Write(data)
	case "mood": // fails the first time for each text; args[0] is a folder to remember in
		name := filepath.Join(args[0], fmt.Sprintf("%x", sha256.Sum256(text)))
		if _, err := os.Stat(name); err != nil {
			os.WriteFile(name, nil, 0o644)
			return 1
		}
		os.Stdout.Write(good)
	}
	return 0
}

// fake is an engine inside the test that counts what it was asked.
type fake struct {
	mu    sync.Mutex
	asked map[string]int
	speak func(r Request, times int) ([]byte, error)
}

func (*fake) Name() string { return "fake" }

func (*fake) Prepare(context.Context, []string) (Identity, error) {
	return Identity{Version: "1"}, nil
}

func (f *fake) Speak(_ context.Context, r Request) ([]byte, error) {
	f.mu.Lock()
	if f.asked == nil {
		f.asked = map[string]int{}
	}
	f.asked[r.Text+"/"+r.Voice]++
	times := f.asked[r.Text+"/"+r.Voice]
	f.mu.Unlock()
	if f.speak != nil {
		return f.speak(r, times)
	}
	return tone(r.Text+r.Voice, 0.05), nil
}

func options(dir string) Options {
	return Options{Dir: dir, Rate: 16000, Voices: []string{"a"}, Variants: 1, Speed: 1, Workers: 2, Retries: 2, Backoff: time.Millisecond, Timeout: 20 * time.Second, Manifest: "json"}
}

func numbered(n int) Texts {
	var t Texts
	for i := range n {
		t.Items = append(t.Items, Item{Text: fmt.Sprintf("sentence number %d", i), Place: fmt.Sprintf("line %d", i+1)})
	}
	return t
}

type manifestEntry struct {
	AudioFilepath string  `json:"audio_filepath"`
	Text          string  `json:"text"`
	Duration      float64 `json:"duration"`
	Voice         string  `json:"voice"`
	Engine        string  `json:"engine"`
	SHA256        string  `json:"sha256"`
}

// checkFolder reads a manifest and requires every file to be whole and what the manifest says.
func checkFolder(t *testing.T, dir string, entries int) []manifestEntry {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []manifestEntry
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != entries {
		t.Errorf("the manifest has %d entries, want %d", len(list), entries)
	}
	named := map[string]bool{}
	for _, e := range list {
		named[filepath.Base(e.AudioFilepath)] = true
		data, err := os.ReadFile(filepath.Join(dir, e.AudioFilepath))
		if err != nil {
			t.Error(err)
			continue
		}
		clip, err := audio.Decode(context.Background(), e.AudioFilepath, data, audio.Options{FFmpeg: "none"})
		if err != nil || len(clip.PCM) == 0 {
			t.Errorf("%s is not whole: %v", e.AudioFilepath, err)
			continue
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(data)); sum != e.SHA256 {
			t.Errorf("%s: checksum %s, the manifest says %s", e.AudioFilepath, sum, e.SHA256)
		}
		if d := clip.Duration().Seconds() - e.Duration; d > 1e-5 || d < -1e-5 {
			t.Errorf("%s lasts %v, the manifest says %v", e.AudioFilepath, clip.Duration(), e.Duration)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "audio", "*", "*"))
	for _, f := range files {
		if !named[filepath.Base(f)] {
			t.Errorf("%s is in no manifest", f)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, stateFolder, "tmp", "*"))
	if len(left) > 0 {
		t.Errorf("left lying: %v", left)
	}
	return list
}

func readAll(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, stateFolder) {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", strings.TrimPrefix(path, dir), sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func journalLines(t *testing.T, dir string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, stateFolder, journalName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(data, []byte("\n")) - 1
}

// runToBeKilled is `run ENGINE TEXTS DIR WORKERS`.
func runToBeKilled(args []string) int {
	f, err := os.Open(args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	texts, err := ReadTexts(args[1], f, TextOptions{})
	opt := options(args[2])
	opt.Workers, _ = strconv.Atoi(args[3])
	var engine Engine = formantEngine{}
	opt.Voices = []string{"m1", "f1"}
	if args[0] == "espeak-ng" {
		engine, err = newEspeak(Config{})
		opt.Voices = []string{"en-us", "en-gb"}
	}
	if err == nil {
		_, err = Run(context.Background(), engine, texts, opt)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
