package dataset

import (
	"bufio"
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/rows"
)

// isText recognises lists without columns of their own: a path a line, or cells with bars between them.
func isText(list string) bool {
	return slices.Contains([]string{".txt", ".list", ".lst"}, strings.ToLower(filepath.Ext(list)))
}

// readText takes a path a line, as ls and find write them.
func readText(in *bufio.Reader, take func(rows.Row) error) error {
	return rows.Lines(in, func(line []byte, place string) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		return take(rows.Row{Place: place, Text: string(line)})
	})
}

// wavNames lets LJ001-0001 stand for LJ001-0001.wav, as in LJSpeech's metadata.csv.
func wavNames(take func(rows.Row) error) func(rows.Row) error {
	return func(row rows.Row) error {
		if !row.Damaged && row.Names[0] == "path" {
			if name := &row.Cells[0].Text; *name != "" && !isAudioName(*name) {
				*name += ".wav"
			}
		}
		return take(row)
	}
}
