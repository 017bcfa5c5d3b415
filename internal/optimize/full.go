package optimize

import (
	"strings"

	"saturate/internal/files"
)

// isFull reports whether something failed because there is no room on the disk, here or in a program that was run.
func isFull(err error) bool {
	return err != nil && (files.DiskFull(err) || saysFull(err.Error()))
}

func saysFull(text string) bool {
	return strings.Contains(text, "No space left on device") || strings.Contains(text, "Disk quota exceeded")
}
