package web

import (
	"context"
	"net/http"
	"path/filepath"
	"time"

	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/report"
)

// codePage holds the findings of the source rules in the current code of a Run.
type codePage struct {
	Folder   string               `json:"folder"`
	Findings []report.PageFinding `json:"findings"`
	Note     string               `json:"note,omitempty"` // why there are none
}

// freshCode is how long the findings of code are kept: people edit and reload.
const freshCode = 5 * time.Second

// code shows the source lines and patches behind what a Run measured.
func (s *Server) code(w http.ResponseWriter, r *http.Request) error {
	one, err := s.library.run(r.PathValue("id"))
	if err != nil {
		return err
	}
	l, dir := s.library, one.Environment.Directory
	page := codePage{Folder: dir, Findings: []report.PageFinding{}}
	switch {
	case dir == "" || l.opt.Scan == nil:
		page.Note = "This Run does not tell where its code is."
	case !within(l.opt.Code, dir):
		page.Note = "The code of this Run is not in the folder where saturate was started. To see its lines here, start it in " + dir + "."
	}
	if page.Note != "" {
		answer(w, page)
		return nil
	}
	key := "code " + dir
	l.forget(key, freshCode)
	return l.prepare(key, func(ctx context.Context) (any, error) {
		found, err := l.opt.Scan(ctx, dir)
		page.Findings = report.PageFindings(found.Findings)
		for i, f := range found.Findings {
			for j, fix := range f.Fixes {
				if changes, err := patch.Changes(dir, []patch.Patch{fix}, nil); err == nil {
					page.Findings[i].Shown[j].Diff = human.Clean(string(patch.Diff(changes)))
				}
			}
		}
		return page, err
	}).answer(w, r, "scanning")
}

// within reports whether a folder exists and is another one or lies in it, with all links followed.
func within(folder, path string) bool {
	if folder == "" {
		return false
	}
	folder, err1 := filepath.EvalSymlinks(folder)
	path, err2 := filepath.EvalSymlinks(path)
	if err1 != nil || err2 != nil {
		return false
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
