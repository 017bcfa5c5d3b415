package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"saturate/internal/run"
)

// How often a running Run is looked at, and how often a silent stream says that it is alive.
const (
	lookEvery = 250 * time.Millisecond
	aliveTime = 15 * time.Second
)

// live streams, as server-sent events, what running Runs record: `step` for each new step, `state` when a Run begins or
// ends, `gpus` for what the GPUs do. With run=ID it is one Run from its first step on; without, the beginnings and ends
// of all, and the commands at work (`jobs`).
func (s *Server) live(w http.ResponseWriter, r *http.Request) error {
	flusher, ok := w.(http.Flusher)
	if !ok {
		return fmt.Errorf("this connection cannot stream")
	}
	s.streams.Add(1)
	defer s.streams.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	l := &follower{library: s.library, only: r.URL.Query().Get("run"), states: map[string]run.State{}, sent: map[string]int64{}, send: func(event string, v any) error {
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data)
		flusher.Flush()
		return err
	}}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	last := time.Now()
	for {
		n, err := l.look()
		if err != nil {
			return nil // the browser is gone, or the folder
		}
		if n > 0 {
			last = time.Now()
		} else if time.Since(last) > aliveTime {
			if l.send("alive", map[string]string{}) != nil {
				return nil
			}
			last = time.Now()
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-tick.C:
		}
	}
}

// follower remembers what was already sent to a browser.
type follower struct {
	library  *Library
	only     string
	states   map[string]run.State
	sent     map[string]int64 // bytes of steps.jsonl
	told     []byte           // the jobs, as they were told last
	toldGPUs []byte
	toldAt   time.Time
	send     func(event string, v any) error
}

// look sends what is new, and returns how much it was.
func (f *follower) look() (n int, err error) {
	runs, err := f.library.runs()
	if err != nil {
		return 0, err
	}
	tell := []func() (bool, error){f.gpus}
	if f.only == "" {
		tell = append(tell, f.jobs)
	}
	for _, t := range tell {
		told, err := t()
		if err != nil {
			return n, err
		}
		if told {
			n++
		}
	}
	for _, r := range runs {
		if f.only != "" && r.ID != f.only {
			continue
		}
		if f.only != "" {
			steps, err := f.steps(r)
			n += steps
			if err != nil {
				return n, err
			}
		}
		if f.states[r.ID] != r.State {
			f.states[r.ID] = r.State
			n++
			if err := f.send("state", map[string]any{"id": r.ID, "name": r.Name, "state": r.State}); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// mostAtOnce is how much of a file of steps is sent at a time.
const mostAtOnce = 4 << 20

// steps sends the whole lines that were added since.
func (f *follower) steps(r run.Run) (n int, err error) {
	path := filepath.Join(r.Dir, "steps.jsonl")
	info, err := os.Stat(path)
	if err != nil || info.Size() <= f.sent[r.ID] {
		if err == nil && info.Size() < f.sent[r.ID] {
			f.sent[r.ID] = 0 // the steps were replaced
			return 1, f.send("restart", map[string]string{"id": r.ID})
		}
		return 0, nil
	}
	lines, next, err := readLines(path, f.sent[r.ID], mostAtOnce)
	if err != nil {
		return 0, nil // it may be about to appear
	}
	f.sent[r.ID] = next
	var steps []run.Step
	for _, line := range lines {
		var s run.Step
		if json.Unmarshal(line, &s) == nil {
			steps = append(steps, s)
		}
	}
	if len(steps) == 0 {
		return 0, nil
	}
	return len(steps), f.send("steps", map[string]any{"id": r.ID, "steps": steps})
}
