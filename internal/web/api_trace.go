package web

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func (s *Server) routes() {
	handle := func(path string, h func(http.ResponseWriter, *http.Request) error) {
		s.mux.HandleFunc("GET /api/"+path, func(w http.ResponseWriter, r *http.Request) {
			switch err := h(w, r); {
			case errors.Is(err, errNotThere):
				fail(w, http.StatusNotFound, err)
			case err != nil:
				fail(w, http.StatusUnprocessableEntity, err)
			}
		})
	}
	handle("index", s.index)
	handle("run/{id}", s.oneRun)
	handle("run/{id}/code", s.code)
	handle("compare", s.compare)
	handle("compare-traces", s.compareTraces)
	handle("snapshot/{id}", s.snapshot)
	handle("live", s.live)
	handle("trace/{id}", s.trace)
	handle("trace/{id}/outline", s.outline)
	handle("trace/{id}/tiles", s.tiles)
	handle("trace/{id}/event/{event}", s.event)
	handle("trace/{id}/find", s.find)
	handle("trace/{id}/names", s.nameTexts)
	handle("trace/{id}/select", s.selection)
	s.mux.HandleFunc("/api/", func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, errors.New("no such path")) })
}

// patience is how long a request waits for an import before it answers with the progress.
const patience = 400 * time.Millisecond

// imported waits a moment for the trace of a request. If the trace is not ready, it has answered with the progress.
func (s *Server) imported(w http.ResponseWriter, r *http.Request) (*imported, error) {
	i, err := s.library.importOf(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	select {
	case <-i.ready:
		return i, i.err
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(patience):
	}
	return nil, notYet(w, i.phase.Load().(string), i.done.Load(), i.total.Load())
}

// notYet answers with the progress of the work that a request waits for; the page asks again.
func notYet(w http.ResponseWriter, phase string, done, total int64) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_, err := fmt.Fprintf(w, `{"phase":%q,"done":%d,"total":%d}`, phase, done, total)
	return err
}

// trace is what an analysis says.
func (s *Server) trace(w http.ResponseWriter, r *http.Request) error {
	i, err := s.imported(w, r)
	if i == nil || err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(i.data)
	return err
}

// outline is what a timeline consists of.
func (s *Server) outline(w http.ResponseWriter, r *http.Request) error {
	i, err := s.imported(w, r)
	if i == nil || err != nil {
		return err
	}
	answer(w, i.index.Outline())
	return nil
}

// mostTiles is how many tiles one request may ask for.
const mostTiles = 256

// tiles are pieces of a timeline: q=GROUP.LEVEL.INDEX,… Each is a count and so many rectangles.
func (s *Server) tiles(w http.ResponseWriter, r *http.Request) error {
	i, err := s.imported(w, r)
	if i == nil || err != nil {
		return err
	}
	wanted := strings.Split(r.URL.Query().Get("q"), ",")
	if len(wanted) > mostTiles {
		return errors.New("too many tiles in one request")
	}
	var out []byte
	for _, q := range wanted {
		var n [3]int64
		parts := strings.Split(q, ".")
		if len(parts) != len(n) {
			return errors.New("a tile is GROUP.LEVEL.INDEX")
		}
		for k, p := range parts {
			if n[k], err = strconv.ParseInt(p, 10, 40); err != nil {
				return errors.New("a tile is GROUP.LEVEL.INDEX")
			}
		}
		rects, err := i.index.Tile(int(n[0]), int(n[1]), n[2])
		if err != nil {
			return err
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(len(rects)))
		out = append(out, rects...)
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "private, max-age=86400, immutable") // another content has another id
	_, err = w.Write(out)
	return err
}

// event tells about one event.
func (s *Server) event(w http.ResponseWriter, r *http.Request) error {
	i, err := s.imported(w, r)
	if i == nil || err != nil {
		return err
	}
	id, err := strconv.ParseUint(r.PathValue("event"), 10, 32)
	if err != nil {
		return errNotThere
	}
	e, err := i.index.Event(uint32(id))
	if err != nil {
		return err
	}
	answer(w, e)
	return nil
}

// find searches the names.
func (s *Server) find(w http.ResponseWriter, r *http.Request) error {
	i, err := s.imported(w, r)
	if i == nil || err != nil {
		return err
	}
	hits, total := i.index.Find(r.URL.Query().Get("q"), 200)
	answer(w, map[string]any{"hits": hits, "total": total})
	return nil
}

// selection sums up a part of the trace: from=NS&to=NS.
func (s *Server) selection(w http.ResponseWriter, r *http.Request) error {
	i, err := s.imported(w, r)
	if i == nil || err != nil {
		return err
	}
	from, err1 := strconv.ParseInt(r.URL.Query().Get("from"), 10, 62)
	to, err2 := strconv.ParseInt(r.URL.Query().Get("to"), 10, 62)
	if err1 != nil || err2 != nil || from >= to {
		return errors.New("a part is from=NS&to=NS")
	}
	sel, err := i.index.Select(from, to, 100)
	if err != nil {
		return err
	}
	answer(w, sel)
	return nil
}

// nameTexts are the texts of names, by their numbers: q=N,N,….
func (s *Server) nameTexts(w http.ResponseWriter, r *http.Request) error {
	i, err := s.imported(w, r)
	if i == nil || err != nil {
		return err
	}
	out := map[string]string{}
	for _, q := range strings.SplitN(r.URL.Query().Get("q"), ",", 1000) {
		if n, err := strconv.ParseUint(q, 10, 32); err == nil {
			out[q] = i.index.Name(uint32(n))
		}
	}
	answer(w, out)
	return nil
}
