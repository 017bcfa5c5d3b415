// Package progress shows how far a long job is, on stderr: a bar on a terminal,
// one line every ten seconds elsewhere, nothing when asked to be quiet.
//
// A job adds to a Task from any goroutine; drawing happens on its own clock and
// costs the job one atomic addition.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// How often the display changes.
const (
	barInterval  = 100 * time.Millisecond
	lineInterval = 10 * time.Second
)

// Display is where tasks are shown.
type Display struct {
	Out      io.Writer
	Terminal bool // draw a bar instead of lines
	Quiet    bool
	Width    int               // columns; 80 when 0
	Now      func() time.Time  // time.Now when nil
	Told     func(line string) // gets each line instead of Out, once a second
	Journal  *Journal          // gets how far each task is; nil without one
}

// Task is one job with a known or unknown amount of work.
type Task struct {
	display *Display
	label   string
	unit    string
	total   int64 // 0: not known
	done    atomic.Int64
	started time.Time
	before  int64 // units that were done then

	mu    sync.Mutex
	note  string
	drawn bool
	stop  chan struct{}
	ended sync.WaitGroup
}

// Start begins a task of total units; a total of 0 means that nobody knows yet.
// The unit is what is counted: "files", "steps", or "B" for bytes.
func (d *Display) Start(label, unit string, total int64) *Task {
	t := &Task{display: d, label: label, unit: unit, total: total, started: d.now(), stop: make(chan struct{})}
	if d.Journal != nil {
		d.Journal.follow(t)
	}
	interval := lineInterval
	switch {
	case d.Told != nil:
		interval = time.Second
	case d.Quiet || d.Out == nil:
		return t
	case d.Terminal:
		interval = barInterval
	}
	t.ended.Go(func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				t.draw()
			case <-t.stop:
				return
			}
		}
	})
	return t
}

// Add counts n more units as done.
func (t *Task) Add(n int64) { t.done.Add(n) }

// Set says how many units are done altogether.
func (t *Task) Set(n int64) { t.done.Store(n) }

// Restart takes the time from here on: what came before tells nothing about the rest.
func (t *Task) Restart() {
	t.mu.Lock()
	t.started, t.before = t.display.now(), t.done.Load()
	t.mu.Unlock()
}

// Note shows a few words behind the figures: the current file or phase.
func (t *Task) Note(text string) {
	t.mu.Lock()
	t.note = text
	t.mu.Unlock()
}

// Done ends the task and takes the bar off the terminal. It may be called more than once.
func (t *Task) Done() {
	t.mu.Lock()
	select {
	case <-t.stop:
		t.mu.Unlock()
		return
	default:
		close(t.stop)
	}
	t.mu.Unlock()
	t.ended.Wait()
	if t.drawn && t.display.Terminal {
		fmt.Fprint(t.display.Out, "\r\x1b[K")
	}
}

func (t *Task) draw() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drawn = true
	line := t.line()
	switch {
	case t.display.Told != nil:
		t.display.Told(line)
	case t.display.Terminal:
		fmt.Fprint(t.display.Out, "\r\x1b[K", line)
	default:
		fmt.Fprintln(t.display.Out, line)
	}
}

// line is what is shown now; a bar takes what the words leave of the terminal's width.
func (t *Task) line() string {
	done, elapsed := t.done.Load(), t.display.now().Sub(t.started)
	words := []string{t.amount(done)}
	if timed := done - t.before; elapsed > 0 && timed > 0 {
		words = append(words, rate(float64(timed)/elapsed.Seconds(), t.unit))
		if t.total > done {
			left := time.Duration(float64(elapsed) / float64(timed) * float64(t.total-done))
			words = append(words, "about "+short(left)+" left")
		}
	}
	if t.note != "" {
		words = append(words, t.note)
	}
	text := strings.Join(words, ", ")
	if !t.display.Terminal {
		return t.label + ": " + text
	}
	bar := ""
	if t.total > 0 {
		bar = " " + drawBar(float64(done)/float64(t.total), 24)
	}
	return clip(t.label+bar+" "+text, t.display.width()-1)
}

func (t *Task) amount(done int64) string {
	if t.total <= 0 {
		return quantity(float64(done), t.unit)
	}
	return fmt.Sprintf("%s of %s (%d%%)", strings.TrimSuffix(quantity(float64(done), t.unit), " "+t.unit),
		quantity(float64(t.total), t.unit), min(100, done*100/t.total))
}

func (d *Display) now() time.Time {
	if d.Now != nil {
		return d.Now()
	}
	return time.Now()
}

func (d *Display) width() int {
	if d.Width > 0 {
		return d.Width
	}
	return 80
}
