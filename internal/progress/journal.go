package progress

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"saturate/internal/files"
)

// Journal writes the progress of a command as JSON lines, for those who watch from elsewhere, such as `saturate serve`.
// The file appears with the first task and goes with Close. What cannot be written is not told: progress is not worth
// an error.
type Journal struct {
	Folder  string
	Command string

	mu    sync.Mutex
	file  *os.File
	ended chan struct{} // closed by Close
	tasks int
}

// Line is one line of a Journal: how far a task is, or a result.
type Line struct {
	Command string    `json:"command"`
	PID     int       `json:"pid"`
	At      time.Time `json:"at"`
	Task    int       `json:"task"` // numbers the command's tasks
	Label   string    `json:"label"`
	Unit    string    `json:"unit"`
	Done    int64     `json:"done"`
	Total   int64     `json:"total,omitempty"` // 0: not known
	Note    string    `json:"note,omitempty"`
	Seconds float64   `json:"s"` // since the task began
	Ended   bool      `json:"ended,omitempty"`
	Result  *Result   `json:"result,omitempty"`
}

// Result is one thing that a command has tried, and what came of it.
type Result struct {
	Name    string  `json:"name"`
	Outcome string  `json:"outcome,omitempty"` // kept, dropped …
	Why     string  `json:"why,omitempty"`
	Before  float64 `json:"before_s,omitempty"` // seconds per step; 0: not measured
	After   float64 `json:"after_s,omitempty"`
}

// journalInterval is how often a task is written; aliveInterval how often a command without a task shows that it lives.
const (
	journalInterval = time.Second
	aliveInterval   = 5 * time.Second
)

// stale is how old the journal of an ended program may get.
const stale = 24 * time.Hour

// JournalEnding is how the files' names end.
const JournalEnding = ".progress.jsonl"

func (j *Journal) number() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.tasks++
	return j.tasks
}

// Result writes what came of a try. A nil Journal takes it too.
func (j *Journal) Result(r Result) {
	if j != nil {
		j.write(Line{At: time.Now(), Result: &r})
	}
}

func (j *Journal) write(l Line) {
	l.Command, l.PID = j.Command, os.Getpid()
	data, err := json.Marshal(l)
	if err != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		if j.file = j.open(); j.file == nil {
			return
		}
	}
	_, _ = j.file.Write(append(data, '\n'))
}

func (j *Journal) open() *os.File {
	if os.MkdirAll(j.Folder, 0o700) != nil {
		return nil
	}
	entries, _ := os.ReadDir(j.Folder)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > stale {
			os.Remove(filepath.Join(j.Folder, e.Name()))
		}
	}
	f, err := files.Create(filepath.Join(j.Folder, fmt.Sprintf("%s-%d-%d%s", j.Command, os.Getpid(), time.Now().UnixNano(),
		JournalEnding)), 0o600)
	if err != nil {
		return nil
	}
	ended := make(chan struct{})
	j.ended = ended
	go func() {
		ticker := time.NewTicker(aliveInterval)
		defer ticker.Stop()
		for {
			select {
			case now := <-ticker.C:
				_ = os.Chtimes(f.Name(), now, now)
			case <-ended:
				return
			}
		}
	}()
	return f
}

// Close takes the file away: the command is over.
func (j *Journal) Close() {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != nil {
		close(j.ended)
		j.file.Close()
		os.Remove(j.file.Name())
		j.file = nil
	}
}

// follow writes how far a task is until it ends.
func (j *Journal) follow(t *Task) {
	number := j.number()
	line := func(ended bool) {
		t.mu.Lock()
		note, began := t.note, t.started
		t.mu.Unlock()
		now := t.display.now()
		j.write(Line{
			At: now, Task: number, Label: t.label, Unit: t.unit, Done: t.done.Load(), Total: t.total, Note: note,
			Seconds: now.Sub(began).Seconds(), Ended: ended,
		})
	}
	line(false)
	t.ended.Go(func() {
		ticker := time.NewTicker(journalInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				line(false)
			case <-t.stop:
				line(true)
				return
			}
		}
	})
}
