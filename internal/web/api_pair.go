package web

import (
	"context"
	"net/http"

	"saturate/internal/report"
)

// pairPage is what the page shows of two traces side by side.
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
	return s.library.prepare(before.ID+" "+after.ID, func(ctx context.Context) (any, error) {
		shown, err := s.library.opt.CompareTraces(ctx, before.paths, after.paths)
		return pairPage{before, after, report.PageOf(shown)}, err
	}).answer(w, r, "comparing")
}
