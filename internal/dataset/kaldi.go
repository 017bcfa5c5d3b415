package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"saturate/internal/files"
	"saturate/internal/rows"
)

// kaldiList is the list of recordings in a data folder of Kaldi's.
const kaldiList = "wav.scp"

func isSCP(list string) bool { return strings.EqualFold(filepath.Ext(list), ".scp") }

// readSCP takes a list of Kaldi's: a name, blanks, and the path of a file. Kaldi lets the rest be a command
// that ends in a pipe; a list of inputs must not run programs, so such an entry is quarantined.
func readSCP(in *bufio.Reader, take func(rows.Row) error) error {
	return named(in, func(place, name, path string) error {
		if path == "" {
			return fmt.Errorf("%s: expected: name path", place)
		}
		return take(rows.Row{Place: place, Names: []string{"path", "id"}, Cells: []rows.Cell{{Text: path}, {Text: name}}})
	})
}

// named takes lines of a name and what belongs to it.
func named(in *bufio.Reader, take func(place, name, rest string) error) error {
	return rows.Lines(in, func(line []byte, place string) error {
		text := strings.TrimSpace(string(line))
		if text == "" {
			return nil
		}
		at := strings.IndexAny(text+" ", " \t")
		return take(place, text[:at], strings.TrimSpace(text[at:]))
	})
}

// readKaldi takes the utterances of a data folder. Where there are segments, each is a part of a recording. The texts
// and the speakers are columns.
func (f *finder) readKaldi(list string, in *bufio.Reader, take func(rows.Row) error) error {
	texts, err := f.beside(list, "text")
	if err != nil {
		return err
	}
	speakers, err := f.beside(list, "utt2spk")
	if err != nil {
		return err
	}
	complete := func(row rows.Row, utterance string) error {
		if !utf8.ValidString(texts[utterance]) {
			return take(rows.Row{Place: row.Place, Text: row.Cells[0].Text, Damaged: true})
		}
		if texts != nil {
			row.Names, row.Cells = append(row.Names, "text"), append(row.Cells, rows.Cell{Text: texts[utterance]})
		}
		if speakers != nil {
			row.Names, row.Cells = append(row.Names, "speaker"), append(row.Cells, rows.Cell{Text: speakers[utterance]})
		}
		return take(row)
	}
	var whole []rows.Row // the recordings
	if err := readSCP(in, func(row rows.Row) error {
		whole = append(whole, row)
		return nil
	}); err != nil {
		return err
	}
	at := map[string]int{}
	for i, row := range whole {
		at[row.Cells[1].Text] = i
	}
	cut, err := f.linesBeside(list, "segments", func(place, utterance, rest string) error {
		parts := strings.Fields(rest)
		if len(parts) < 3 {
			return fmt.Errorf("%s: expected: name recording start end", place)
		}
		i, ok := at[parts[0]]
		if !ok {
			return fmt.Errorf("%s: %s has no recording %s", place, list, parts[0])
		}
		row := rows.Row{Place: whole[i].Place, Names: []string{"path", "id", "recording", "offset"}}
		row.Cells = []rows.Cell{whole[i].Cells[0], {Text: utterance}, {Text: parts[0]}, {Text: parts[1]}}
		start, e1 := strconv.ParseFloat(parts[1], 64)
		end, e2 := strconv.ParseFloat(parts[2], 64)
		switch {
		case e1 != nil || e2 != nil || end >= 0 && end <= start:
			return fmt.Errorf("%s: from %s to %s is not a valid time range", place, parts[1], parts[2])
		case end > 0: // less is the end of the recording
			row.Names, row.Cells = append(row.Names, "duration"), append(row.Cells, rows.Cell{Text: duration(start, end)})
		}
		return complete(row, utterance)
	})
	if err != nil || cut {
		return err
	}
	for _, row := range whole {
		if err := complete(row, row.Cells[1].Text); err != nil {
			return err
		}
	}
	return nil
}

// beside is what a file of a data folder says about each utterance; nil without such a file.
func (f *finder) beside(list, name string) (of map[string]string, err error) {
	of = map[string]string{}
	there, err := f.linesBeside(list, name, func(_, utterance, rest string) error {
		of[utterance] = rest
		return nil
	})
	if !there {
		of = nil
	}
	return of, err
}

// linesBeside reads a file of a data folder that may be missing.
func (f *finder) linesBeside(list, name string, take func(place, name, rest string) error) (there bool, err error) {
	path := filepath.Join(filepath.Dir(list), name)
	file, err := files.Open(f.path(path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		defer file.Close()
		f.list.lists = append(f.list.lists, path)
		err = named(rows.Plain(file), take)
	}
	if err != nil {
		return true, fmt.Errorf("%s beside it: %w", name, reason(err))
	}
	return true, nil
}
