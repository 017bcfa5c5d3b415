package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// errForeign says that a name which saturate uses for itself holds something that would lead elsewhere.
var errForeign = errors.New("remove it first")

// OpenOwn opens a file that stays under a name others can guess: a lock, a journal, an output under construction. It is
// made where it is missing. A link, a special file and a file with a second name are refused, because what is written
// would land in somebody's file.
func OpenOwn(path string, mode fs.FileMode) (*os.File, error) {
	f, err := Create(path, mode)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	seen, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if err := ownFile(path, seen); err != nil {
		return nil, err
	}
	if f, err = os.OpenFile(path, os.O_RDWR|noFollow, 0); err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(seen, now) {
		f.Close()
		return nil, fmt.Errorf("%s was replaced while it was opened: %w", path, errForeign)
	}
	return f, nil
}

// EmptyOwn is OpenOwn for a file whose old contents are of no use.
func EmptyOwn(path string, mode fs.FileMode) (*os.File, error) {
	f, err := OpenOwn(path, mode)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Create makes a file where there is none.
func Create(path string, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
}

func ownFile(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a link, and writing would change the file it leads to: %w", path, errForeign)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file: %w", path, errForeign)
	case names(info) > 1:
		return fmt.Errorf("%s is a hard link, and writing would change the file under its other name: %w", path, errForeign)
	}
	return nil
}

// OwnFolder makes a folder where it is missing. A link of that name is refused.
func OwnFolder(path string, mode fs.FileMode) error {
	if err := os.MkdirAll(path, mode); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return errors.Join(err, fmt.Errorf("%s is a link, not a folder: %w", path, errForeign))
	}
	return nil
}
