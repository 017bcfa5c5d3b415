package progress

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// a clock that stands still until told
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func TestLine(t *testing.T) {
	tests := []struct {
		name     string
		terminal bool
		unit     string
		total    int64
		done     int64
		elapsed  time.Duration
		note     string
		want     string
	}{
		{"before the first", false, "files", 200, 0, time.Second, "", "decode: 0 of 200 files (0%)"},
		{"on the way", false, "files", 200, 50, 10 * time.Second, "a.wav", "decode: 50 of 200 files (25%), 5 files/s, about 30 s left, a.wav"},
		{"thousands", false, "files", 12000, 3000, 100 * time.Second, "", "decode: 3,000 of 12,000 files (25%), 30 files/s, about 5 min left"},
		{"unknown total", false, "steps", 0, 7, 10 * time.Second, "", "decode: 7 steps, 1.4 s each"},
		{"bytes", false, "B", 2_000_000, 500_000, time.Second, "", "decode: 500 kB of 2.00 MB (25%), 500 kB/s, about 3 s left"},
		{"more than expected", false, "files", 10, 12, time.Second, "", "decode: 12 of 10 files (100%), 12 files/s"},
		{"hours", false, "files", 1000, 1, 12 * time.Second, "", "decode: 1 of 1,000 files (0%), 12 s each, about 3 h 19 min left"},
		{"bar", true, "files", 200, 50, 10 * time.Second, "", "decode [======                  ] 50 of 200 files (25%), 5 files/s, about 30 s left"},
		{"a clock that went back", false, "files", 200, 50, -time.Hour, "", "decode: 50 of 200 files (25%)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &clock{time.Unix(1000, 0)}
			d := &Display{Terminal: tt.terminal, Quiet: true, Width: 100, Now: c.now}
			task := d.Start("decode", tt.unit, tt.total)
			task.Add(tt.done)
			task.Note(tt.note)
			c.t = c.t.Add(tt.elapsed)
			if got := task.line(); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestRestart: the time before the first unit tells nothing about the others.
func TestRestart(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	task := (&Display{Quiet: true, Now: c.now}).Start("Profiling", "steps", 51)
	c.t = c.t.Add(60 * time.Second)
	task.Add(1)
	task.Restart()
	if got, want := task.line(), "Profiling: 1 of 51 steps (1%)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c.t = c.t.Add(10 * time.Second)
	task.Add(10)
	if got, want := task.line(), "Profiling: 11 of 51 steps (21%), 1 steps/s, about 40 s left"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBarNeverPassesTheEdge(t *testing.T) {
	for width := 1; width < 90; width++ {
		d := &Display{Terminal: true, Quiet: true, Width: width}
		task := d.Start("a rather long label", "files", 100)
		task.Set(50)
		if n := len([]rune(task.line())); n >= width && width > 1 {
			t.Fatalf("width %d: line has %d columns", width, n)
		}
	}
}

func TestQuietSaysNothing(t *testing.T) {
	var out bytes.Buffer
	task := (&Display{Out: &out, Quiet: true, Terminal: true}).Start("x", "files", 3)
	task.Add(1)
	task.Done()
	task.Done() // twice is fine
	if out.Len() > 0 {
		t.Errorf("wrote %q", out.String())
	}
}

func TestBarIsTakenOffTheTerminal(t *testing.T) {
	var out bytes.Buffer
	task := (&Display{Out: &out, Terminal: true}).Start("x", "files", 3)
	task.draw()
	task.Done()
	if got := out.String(); !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("the bar stays: %q", got)
	}
}
