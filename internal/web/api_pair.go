package web

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"saturate/internal/report"
)

// pair is two traces side by side, on their way to the page or ready.
type pair struct {
	ready chan struct{} // closed when it is, or failed
	data  []byte
	err   error
}

// pairPage is what the page shows of a pair.
type pairPage struct {
	Before traceItem   `json:"before"`
	After  traceItem   `json:"after"`
	Report report.Page `json:"report"`
}

// compareTraces puts two traces side by side: a=ID&b=ID. Both are read again: a comparison needs more of them than the
// page.
func (s *Server) compareTraces(w http.ResponseWriter, r *http.Request) error {
	before, err := s.library.trace(r.URL.Query().Get("a"))
	if err != nil {
		return err
	}
	after, err := s.library.trace(r.URL.Query().Get("b"))
	if err != nil {
		return err
	}
	p := s.library.pair(before, after)
	select {
	case <-p.ready:
	case <-r.Context().Done():
		return r.Context().Err()
	case <-time.After(patience):
		return notYet(w, "comparing", 0, 0)
	}
	if p.err != nil {
		return p.err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(p.data)
	return err
}

// pair starts a comparison unless there is one already.
func (l *Library) pair(before, after traceItem) *pair {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := before.ID + " " + after.ID
	if p := l.pairs[key]; p != nil {
		return p
	}
	p := &pair{ready: make(chan struct{})}
	l.pairs[key] = p
	go func() {
		defer close(p.ready)
		l.turn <- struct{}{}
		defer func() { <-l.turn }()
		var shown report.Report
		if shown, p.err = l.opt.CompareTraces(context.Background(), before.paths, after.paths); p.err == nil {
			p.data, p.err = json.Marshal(pairPage{before, after, report.PageOf(shown)})
		}
	}()
	return p
}
