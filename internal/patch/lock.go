package patch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"saturate/internal/files"
)

// errBusy says that another process holds the journal.
var errBusy = errors.New("another saturate command is changing files; wait for it to end")

// tryLock makes this process the only one at work on the journal, or gives errBusy. The system drops the lock
// of a process that dies, so a kill never leaves one behind.
func (j *Journal) tryLock() (unlock func(), err error) {
	f, err := files.OpenOwn(filepath.Join(j.Dir, "lock"), files.Private)
	if err != nil {
		return nil, fmt.Errorf("cannot keep a journal: %w", err)
	}
	if err := files.Lock(f); err != nil {
		f.Close()
		if errors.Is(err, files.ErrBusy) {
			err = errBusy
		}
		return nil, err
	}
	return func() { f.Close() }, nil
}

// lock is tryLock for whoever is about to change files.
func (j *Journal) lock() (unlock func(), err error) {
	if err := os.MkdirAll(j.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot keep a journal: %w", err)
	}
	return j.tryLock()
}
