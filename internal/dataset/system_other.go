//go:build !linux

package dataset

import (
	"errors"
	"os"
)

var errNoMap = errors.New("rows are computed in place on Linux only; leave out --map")

func willNeed(*os.File, int64) {}

func bootID() string { return "" }

func allocate(*os.File, int64) error { return errNoMap }

func mapFile(*os.File, int64) ([]byte, error) { return nil, errNoMap }

func unmapFile([]byte) error { return nil }

func freeMemory() int64 { return 0 }
