package web

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"saturate/internal/files"
	"saturate/internal/report"
	"saturate/internal/trace/open"
	"saturate/internal/trace/snapshot"
)

// snapshots lists torch's memory snapshots: files that were named, and those in named folders whose names say so.
func (l *Library) snapshots() (items []traceItem) {
	if l.opt.Snapshot == nil {
		return nil
	}
	for _, named := range l.opt.Traces {
		_ = filepath.WalkDir(named, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // what cannot be read is not listed
			case entry.IsDir() && path != named && strings.HasPrefix(entry.Name(), "."):
				return fs.SkipDir
			case entry.IsDir() || !l.inside(path) || path != named && !isPickle(path) || !isSnapshot(path):
				return nil
			}
			if info, err := entry.Info(); err == nil {
				items = append(items, newItem(l.shownName(path, ""), "", []open.File{{Path: path, Size: info.Size()}}))
			}
			return nil
		})
	}
	return items
}

func isPickle(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".pickle", ".pkl":
		return true
	}
	return false
}

// isSnapshot looks at a file's first bytes. Other pickles are left alone.
func isSnapshot(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := files.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, _ := f.Read(head)
	return !bytes.HasPrefix(head, []byte("{")) && snapshot.Sniff(head[:n])
}

// snapshotPage is what the page shows of a memory snapshot.
type snapshotPage struct {
	Item   traceItem         `json:"item"`
	Report report.Page       `json:"report"`
	GPUs   []snapshot.Answer `json:"gpus"`
}

// snapshot explains a memory snapshot by its id.
func (s *Server) snapshot(w http.ResponseWriter, r *http.Request) error {
	for _, item := range s.library.snapshots() {
		if item.ID == r.PathValue("id") {
			return s.library.prepare("snapshot "+item.ID, func(ctx context.Context) (any, error) {
				shown, gpus, err := s.library.opt.Snapshot(ctx, item.paths[0])
				return snapshotPage{item, report.PageOf(shown), gpus}, err
			}).answer(w, r, "reading")
		}
	}
	return errNotThere
}
