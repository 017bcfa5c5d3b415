package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"saturate/internal/audio"
)

// A server that refuses, fails and falls silent, as a user meets it at the command line.
func TestSpeechServer(t *testing.T) {
	speech, err := audio.AppendWAV(nil, 24000, 1, []int16{1, 2, 3, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		switch r.URL.Path {
		case "/busy/audio/speech":
			if n%3 != 0 {
				w.Header().Set("Retry-After", "0.01")
				http.Error(w, "slow down", http.StatusTooManyRequests)
				return
			}
		case "/broken/audio/speech":
			http.Error(w, "stack trace", http.StatusInternalServerError)
			return
		case "/silent/audio/speech":
			select {
			case <-release:
			case <-r.Context().Done():
			}
			return
		case "/locked/audio/speech":
			if r.Header.Get("Authorization") != "Bearer good" {
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
		}
		w.Write(speech)
	}))
	defer server.Close()
	defer close(release)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "texts.txt"), []byte("one\ntwo\nthree\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, key string
		code      int
		want      string
	}{
		{"busy", "", exitDone, "3 files for 3 texts by openai tts-1: 3 new"},
		{"broken", "", exitFound, "the server answered 500 Internal Server Error: stack trace (tried 3 times)"},
		{"silent", "", exitFound, "the server timed out (--timeout)"},
		{"locked", "bad", exitUsage, "401 Unauthorized: who are you?; set the key in OPENAI_API_KEY\n          0 of 3 files finished"},
		{"locked", "good", exitDone, "3 new"},
	} {
		var stdout, stderr bytes.Buffer
		env := &Env{
			Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: dir, Now: time.Now,
			Vars: []string{"OPENAI_API_KEY=" + tt.key},
		}
		code := Main(env, []string{
			"tts", "texts.txt", "-o", "out-" + tt.path, "--engine", "openai", "--server", server.URL + "/" + tt.path,
			"--retries", fmt.Sprint(map[bool]int{true: 20, false: 2}[tt.path == "busy"]), "--backoff", "1ms", "--timeout", "300ms",
		})
		if all := stdout.String() + stderr.String(); code != tt.code || !strings.Contains(all, tt.want) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", tt.path, code, tt.code, tt.want, all)
		}
	}
}

// Without espeak-ng, the message says how to get it and what works without.
func TestSpeechWithoutEngine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "texts.txt"), []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	env := &Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: dir, Now: time.Now}
	code := Main(env, []string{"tts", "texts.txt", "-o", "out"})
	if text := stderr.String(); code != exitMissing || !strings.Contains(text, "apt-get install espeak-ng") || !strings.Contains(text, "--engine formant") {
		t.Errorf("exit code %d: %s", code, text)
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("a folder was made all the same")
	}
}
