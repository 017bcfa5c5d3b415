package web

import (
	"bytes"
	"errors"
	"io"

	"saturate/internal/files"
)

// readLines reads the whole lines of a growing file from an offset on, and says where the next one begins.
func readLines(path string, from int64, most int) (lines [][]byte, next int64, err error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, from, err
	}
	defer f.Close()
	buf := make([]byte, most)
	n, err := f.ReadAt(buf, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, from, err
	}
	end := bytes.LastIndexByte(buf[:n], '\n') + 1
	for line := range bytes.Lines(buf[:end]) {
		lines = append(lines, bytes.TrimSpace(line))
	}
	return lines, from + int64(end), nil
}
