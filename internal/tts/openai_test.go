package tts

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// naughty is a server that fails each text in several ways before it speaks.
type naughty struct {
	mu       sync.Mutex
	asked    map[string]int
	requests []map[string]any
	release  chan struct{}
}

func (n *naughty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/v1/audio/speech" {
		http.Error(w, "what?", http.StatusNotFound)
		return
	}
	text := fmt.Sprint(body["input"])
	n.mu.Lock()
	n.requests = append(n.requests, body)
	n.asked[text]++
	times, index := n.asked[text], len(n.asked)
	n.mu.Unlock()
	if strings.Contains(text, "refused") {
		http.Error(w, `{"error": {"message": "input rejected by policy"}}`, http.StatusBadRequest)
		return
	}
	if times <= 2 {
		switch (index + times) % 7 {
		case 0:
			w.Header().Set("Retry-After", "0.05")
			http.Error(w, "slow down", http.StatusTooManyRequests)
			return
		case 1:
			http.Error(w, "oops", http.StatusInternalServerError)
			return
		case 2: // never answers
			select {
			case <-r.Context().Done():
			case <-n.release:
			}
			return
		case 3:
			fmt.Fprint(w, "<!DOCTYPE html><html>please log in</html>")
			return
		case 4: // the connection breaks in the middle
			data := tone(text, 0.1)
			w.Header().Set("Content-Length", fmt.Sprint(len(data)))
			w.Write(data[:len(data)/2])
			return
		case 5: // whole answer, half a file
			data := tone(text, 0.1)
			w.Write(data[:len(data)/2])
			return
		case 6:
			return // nothing at all
		}
	}
	w.Write(tone(text, 0.05))
}

func TestServerThatMisbehaves(t *testing.T) {
	n := &naughty{asked: map[string]int{}, release: make(chan struct{})}
	server := httptest.NewServer(n)
	defer server.Close()
	defer close(n.release)
	engine, err := newOpenAI(Config{Server: server.URL + "/v1", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	opt := options(t.TempDir())
	opt.Workers, opt.Retries, opt.Timeout, opt.Speed = 8, 5, 500*time.Millisecond, 1.5
	texts := numbered(60)
	texts.Items = append(texts.Items, Item{Text: "this is refused", Place: "line 61"})
	r := run(t, engine, texts, opt)
	if r.Made != 60 || len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Reason, "400 Bad Request: { \"error\"") && !strings.Contains(r.Failed[0].Reason, "input rejected by policy") {
		t.Errorf("made %d, failed %+v", r.Made, r.Failed)
	}
	checkFolder(t, opt.Dir, 60)
	if n.asked["this is refused"] != 1 {
		t.Errorf("a refused text was sent %d times", n.asked["this is refused"])
	}
	if q := n.requests[0]; q["model"] != "m" || q["voice"] != "a" || q["speed"] != 1.5 || q["response_format"] != "wav" {
		t.Errorf("%v", q)
	}
}

func TestServerErrors(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(tone("x", 0.1)) }))
	defer other.Close()
	var key atomic.Value
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"wrong key", func(w http.ResponseWriter, r *http.Request) {
			key.Store(r.Header.Get("Authorization"))
			http.Error(w, "no", http.StatusUnauthorized)
		}, "OPENAI_API_KEY"},
		{"wrong path", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusNotFound) }, "check --server"},
		{"another host", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, strings.Replace(other.URL, "127.0.0.1", "localhost", 1), http.StatusTemporaryRedirect)
		}, "redirects are not followed"},
		{"the same host", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/elsewhere" {
				http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
				return
			}
			t.Errorf("a redirect was followed, with the header %q", r.Header.Get("Authorization"))
		}, "redirects are not followed"},
	} {
		server := httptest.NewServer(tt.handler)
		engine, err := newOpenAI(Config{Server: server.URL, Key: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Run(context.Background(), engine, numbered(3), options(t.TempDir()))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		server.Close()
	}
	if key.Load() != "Bearer secret" {
		t.Errorf("the key was sent as %q", key.Load())
	}
	for server, want := range map[string]string{
		"": "needs --server", "localhost:8000": "is not a URL", "ftp://x/": "is not a URL", "http://me:pw@x/v1": "password",
	} {
		if _, err := newOpenAI(Config{Server: server}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", server, err, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, "0.5": time.Second / 2, "-7": 0, "99999": 10 * time.Minute, "nonsense": 0,
		"Fri, 02 Jan 2026 03:04:25 GMT": 20 * time.Second, "Fri, 02 Jan 2026 03:00:00 GMT": 0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

// All workers together keep the pace.
func TestPace(t *testing.T) {
	p := &pace{every: 10 * time.Millisecond}
	start := time.Now()
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if err := p.wait(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if d := time.Since(start); d < 50*time.Millisecond {
		t.Errorf("six requests at 10 ms each in %v", d)
	}
}

// A text that waits for its turn is not late: its time runs from when it is sent.
func TestPaceIsNoTimeout(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(tone("x", 0.05)) }))
	defer server.Close()
	engine, err := newOpenAI(Config{Server: server.URL, PerMinute: 1200})
	if err != nil {
		t.Fatal(err)
	}
	opt := options(t.TempDir())
	opt.Workers, opt.Retries, opt.Timeout = 30, 0, time.Second // the last is sent after one and a half
	if r := run(t, engine, numbered(30), opt); r.Made != 30 {
		t.Errorf("%d made, %v", r.Made, r.Failed)
	}
}

// TestPlainHTTP: the key goes to another machine in clear only where the user says so.
func TestPlainHTTP(t *testing.T) {
	for server, want := range map[string]bool{
		"http://localhost:1/v1": true, "http://127.0.0.1:1/v1": true, "http://[::1]:1/v1": true, "https://speech.example/v1": true,
		"http://speech.example/v1": false, "http://10.0.0.1:8000/v1": false, "http://localhost.evil.example/v1": false,
	} {
		if _, err := newOpenAI(Config{Server: server}); (err == nil) != want {
			t.Errorf("%s: %v", server, err)
		}
		if _, err := newOpenAI(Config{Server: server, PlainHTTP: true}); err != nil {
			t.Errorf("%s with --plain-http: %v", server, err)
		}
	}
}
