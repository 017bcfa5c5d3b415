package dataset

import (
	"bufio"
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"saturate/internal/rows"
)

// isLJSpeech recognises LJSpeech's metadata.csv, which many data sets of speech copy: no names of columns, and bars between the cells.
func isLJSpeech(list string, in *bufio.Reader) bool {
	if !strings.EqualFold(filepath.Ext(list), ".csv") {
		return false
	}
	head, _ := in.Peek(4096)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	name, _, bars := strings.Cut(string(line), "|")
	return bars && name != "" && !strings.ContainsAny(name, ",;\"") && !slices.Contains(pathColumns, name)
}

// readLJSpeech takes lines such as LJ001-0001|Printing, in 1455.|Printing, in fourteen fifty-five.
func readLJSpeech(in *bufio.Reader, take func(rows.Row) error) error {
	return rows.Lines(in, func(line []byte, place string) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		if !utf8.Valid(line) {
			return take(rows.Row{Place: place, Text: string(line), Damaged: true})
		}
		row := rows.Row{Place: place, Names: []string{"path", "text", "normalized_text"}}
		for _, cell := range strings.SplitN(string(line), "|", len(row.Names)) {
			row.Cells = append(row.Cells, rows.Cell{Text: cell})
		}
		row.Names = row.Names[:len(row.Cells)]
		if name := &row.Cells[0].Text; *name != "" && !isAudioName(*name) {
			*name += ".wav"
		}
		return take(row)
	})
}

func isText(list string) bool { return strings.EqualFold(filepath.Ext(list), ".txt") }

// readText takes a path a line, as ls and find write them.
func readText(in *bufio.Reader, take func(rows.Row) error) error {
	return rows.Lines(in, func(line []byte, place string) error {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		return take(rows.Row{Place: place, Text: string(line)})
	})
}
