package dataset

import (
	"os"
	"sync"

	"saturate/internal/files"
	"saturate/internal/shard"
)

// readAhead asks the system for files that will be read soon, and keeps them open until they are.
// Files are known by their turn, in which they are taken.
type readAhead struct {
	mu    sync.Mutex
	open  map[int]source
	taken int // the latest turn
}

// distance is how many files ahead of the current one are requested.
const distance = 8

// hint opens an item whose turn comes soon.
func (r *readAhead) hint(turn int, it *Item, open func(*Item) (source, error)) {
	if it.Tar != "" || it.Bad != "" {
		return
	}
	src, err := open(it)
	if err != nil {
		return // whoever reads it will see the same
	}
	willNeed(src.file, min(it.Size, wholeFile))
	r.mu.Lock()
	defer r.mu.Unlock()
	if turn <= r.taken {
		src.close()
		return
	}
	r.open[turn] = src
}

// take gives an item's bytes, opened before or now.
func (r *readAhead) take(turn int, it *Item, open func(*Item) (source, error)) (source, error) {
	r.mu.Lock()
	src, ok := r.open[turn]
	delete(r.open, turn)
	r.taken = max(r.taken, turn)
	r.mu.Unlock()
	if ok {
		return src, nil
	}
	return open(it)
}

func (r *readAhead) close() {
	for _, s := range r.open {
		s.close()
	}
}

// openTars opens every archive once; members are read at their places.
func openTars(l *List, opt Options) (map[string]*os.File, error) {
	tars := map[string]*os.File{}
	for i := range l.Items {
		name := l.Items[i].Tar
		if name == "" || tars[name] != nil || l.Items[i].local != "" || shard.IsRemote(name) {
			continue
		}
		f, err := files.Open(opt.path(name))
		if err != nil {
			return tars, err
		}
		tars[name] = f
	}
	return tars, nil
}
