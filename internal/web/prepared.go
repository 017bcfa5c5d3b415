package web

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// prepared is a page that takes a while: on its way, ready, or failed.
type prepared struct {
	ready chan struct{} // closed when it is, or failed
	data  []byte
	err   error
	made  time.Time // when it was ready
}

// prepare begins to make a page unless it was begun already.
func (l *Library) prepare(key string, compute func(context.Context) (any, error)) *prepared {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.pages[key]; p != nil {
		return p
	}
	p := &prepared{ready: make(chan struct{})}
	l.pages[key] = p
	go func() {
		defer func() {
			p.made = time.Now()
			close(p.ready)
		}()
		l.turn <- struct{}{}
		defer func() { <-l.turn }()
		var page any
		if page, p.err = compute(context.Background()); p.err == nil { // whoever asked first may go
			p.data, p.err = json.Marshal(page)
		}
	}()
	return p
}

// forget drops a page that has been ready for some time, so that it is made again: its content may have changed.
func (l *Library) forget(key string, after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.pages[key]; p != nil {
		select {
		case <-p.ready:
			if time.Since(p.made) > after {
				delete(l.pages, key)
			}
		default:
		}
	}
}

// answer waits a moment for the page; without it, it answers that it is not ready yet, and the browser asks again.
func (p *prepared) answer(w http.ResponseWriter, r *http.Request, phase string) error {
	select {
	case <-p.ready:
	case <-r.Context().Done():
		return r.Context().Err()
	case <-time.After(patience):
		return notYet(w, phase, 0, 0)
	}
	if p.err != nil {
		return p.err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(p.data)
	return err
}
