package dataset

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

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

// isTranscripts recognises the lists beside LibriSpeech's audio: 84-121123.trans.txt.
func isTranscripts(list string) bool {
	return strings.HasSuffix(strings.ToLower(list), ".trans.txt")
}

// readTranscripts takes lines of a name and what is said in the file of that name beside the list, which many keep in
// another format.
func (f *finder) readTranscripts(list string, in *bufio.Reader, take func(rows.Row) error) error {
	return named(in, func(place, name, text string) error {
		if !utf8.ValidString(text) {
			return take(rows.Row{Place: place, Text: name + " " + text, Damaged: true})
		}
		file := name + ".flac"
		for _, ending := range audioEndings {
			if _, err := os.Stat(f.path(filepath.Join(filepath.Dir(list), name+ending))); err == nil {
				file = name + ending
				break
			}
		}
		return take(rows.Row{Place: place, Names: []string{"path", "text"}, Cells: []rows.Cell{{Text: file}, {Text: text}}})
	})
}
