//go:build !linux

package dataset

import (
	"errors"
	"os"
)

var errNoMap = errors.New("--map yes works only on Linux; remove it")

func willNeed(*os.File, int64) {}

func bootID() string { return "" }

func allocate(*os.File, int64, int64) error { return errNoMap }

func mappingPays(*os.File, int) bool { return false }

func mapFile(*os.File, int64, int64) ([]byte, error) { return nil, errNoMap }

func populate([]byte, int, int) error { return errNoMap }

func lookUp([]byte, int, int) error { return errNoMap }

func allThere(os.FileInfo) bool { return false }

func inMemory(*os.File) bool { return false }

func unmapFile([]byte) error { return nil }

func freeMemory() int64 { return 0 }
