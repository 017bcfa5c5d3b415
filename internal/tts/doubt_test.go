package tts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// An engine that can speak nothing ends the run, however many texts and workers there are; one bad text does not.
func TestEveryTextFails(t *testing.T) {
	always := func(err func() error) *fake {
		return &fake{speak: func(Request, int) ([]byte, error) { return nil, err() }}
	}
	down := func() error { return errors.New("connection refused") }
	port := 40000
	for _, tt := range []struct {
		name   string
		engine *fake
		texts  int
		want   string // of the error; "" when the failures are listed
	}{
		{"a server that is down", always(down), 10000, "connection refused (tried 3 times); 3 other texts fail the same way, and none has succeeded\n0 of 10,000 files finished"},
		{"as few as four texts", always(down), 4, "connection refused (tried 3 times)"},
		{"three texts, which prove little", always(down), 3, ""},
		{"a refusal without further tries", always(func() error { return permanent("no such model") }), 500, "no such model; 3 other texts"},
		{"errors that differ in numbers", always(func() error { port++; return fmt.Errorf("port %d: reset", port) }), 500, "reset (tried 3 times)"},
	} {
		for _, workers := range []int{1, 2, 8} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, workers), func(t *testing.T) {
				tt.engine.asked = nil
				opt := options(t.TempDir())
				opt.Workers = workers
				if strings.HasPrefix(tt.name, "errors") {
					opt.Workers = 1 // the test's own counter has no lock
				}
				r, err := Run(context.Background(), tt.engine, numbered(tt.texts), opt)
				if tt.want == "" {
					if err != nil || len(r.Failed) != tt.texts {
						t.Errorf("%v, %d failures listed", err, len(r.Failed))
					}
					return
				}
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, want %q", err, tt.want)
				}
				if len(tt.engine.asked) > 2*workers+3 {
					t.Errorf("%d texts were tried", len(tt.engine.asked))
				}
				if r := run(t, &fake{}, numbered(min(tt.texts, 50)), opt); r.Made != min(tt.texts, 50) {
					t.Errorf("the next run made %d", r.Made)
				}
			})
		}
	}
}

// Bad texts are listed, wherever they stand and however many follow each other.
func TestBadTextsDoNotStopTheRun(t *testing.T) {
	for name, isBad := range map[string]func(n int) bool{
		"the first":           func(n int) bool { return n == 0 },
		"the first half":      func(n int) bool { return n < 30 },
		"the last half":       func(n int) bool { return n >= 30 },
		"every other":         func(n int) bool { return n%2 == 0 },
		"all but one of them": func(n int) bool { return n != 59 },
	} {
		for _, workers := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d", name, workers), func(t *testing.T) {
				engine := &fake{speak: func(r Request, _ int) ([]byte, error) {
					var n int
					fmt.Sscanf(r.Text, "sentence number %d", &n)
					if isBad(n) {
						return nil, errors.New("crashed")
					}
					return tone(r.Text, 0.05), nil
				}}
				bad := 0
				for n := range 60 {
					if isBad(n) {
						bad++
					}
				}
				opt := options(t.TempDir())
				opt.Workers = workers
				for range 2 { // the second run has bad texts alone
					if r := run(t, engine, numbered(60), opt); len(r.Failed) != bad || r.Made+r.Reused != 60-bad {
						t.Fatalf("%d failed, %d made, %d there; want %d bad", len(r.Failed), r.Made, r.Reused, bad)
					}
				}
				asked := 0
				for _, times := range engine.asked {
					asked += times
				}
				if most := 2*3*bad + (60 - bad) + 2*8; asked > most {
					t.Errorf("%d questions, at most %d are needed", asked, most)
				}
			})
		}
	}
}

// A server that goes away in the middle, or has gone when the run is taken up again, ends the run too.
func TestEngineGoesAway(t *testing.T) {
	opt := options(t.TempDir())
	opt.Workers = 1
	n := 0
	engine := &fake{speak: func(r Request, _ int) ([]byte, error) {
		if n++; n > 20 {
			return nil, errors.New("connection refused")
		}
		return tone(r.Text, 0.05), nil
	}}
	for range 2 {
		_, err := Run(context.Background(), engine, numbered(500), opt)
		if err == nil || !strings.Contains(err.Error(), "connection refused (tried 3 times); 3 texts that worked before now fail the same way\n20 of 500 files finished") {
			t.Errorf("%v", err)
		}
	}
	if len(engine.asked) != 21 {
		t.Errorf("%d texts were tried, want 21", len(engine.asked))
	}
}

func TestDryRunOfAnEngineThatFails(t *testing.T) {
	opt := options(t.TempDir())
	opt.DryRun = true
	engine := &fake{speak: func(Request, int) ([]byte, error) { return nil, errors.New("connection refused") }}
	if _, err := Run(context.Background(), engine, numbered(100), opt); err == nil || err.Error() != "cannot estimate: none of 6 texts could be spoken: connection refused" {
		t.Errorf("%v", err)
	}
}
