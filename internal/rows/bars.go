package rows

import (
	"bufio"
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// headings are the names by which a first line is known that names the columns. Most lists with bars have none.
var headings = []string{
	"audio", "audio_file", "audio_filepath", "audio_path", "path", "file_name", "file", "filename", "wav", "text", "sentence", "transcript", "transcription",
}

// Barred recognises lists with bars between the cells: LJSpeech's metadata.csv, and those of the many programs for
// speech that copy it.
func Barred(in *bufio.Reader) bool {
	first, _, bars := strings.Cut(beginning(in)[0], "|")
	return bars && first != "" && !strings.ContainsAny(first, ",;\"")
}

// Bars gives the rows of such a list. Nothing is quoted in them.
func Bars(in *bufio.Reader, take func(Row) error) error {
	lines := beginning(in)
	names := strings.Split(lines[0], "|")
	header := slices.ContainsFunc(names, func(n string) bool { return slices.Contains(headings, n) })
	if header {
		names = Distinct(names)
	} else {
		names = barNames(lines)
	}
	return Lines(in, func(line []byte, place string) error {
		switch {
		case header:
			header = false
			return nil
		case len(bytes.TrimSpace(line)) == 0:
			return nil
		case !utf8.Valid(line):
			return take(Row{Place: place, Text: string(line), Damaged: true})
		}
		row := Row{Place: place, Names: names}
		for _, cell := range strings.SplitN(string(line), "|", len(names)) {
			row.Cells = append(row.Cells, Cell{Text: cell})
		}
		row.Names = names[:len(row.Cells)] // LJSpeech's copies often have one text only
		return take(row)
	})
}

// barNames names the columns by what stands in the first lines. Lists with speakers have them before the text (VITS,
// Piper), before the language and the text (GPT-SoVITS), or last, as numbers (StyleTTS 2); LJSpeech has the text as it
// is written and as it is read.
func barNames(lines []string) []string {
	all := func(columns int, is func(cells []string) bool) bool {
		return !slices.ContainsFunc(lines, func(line string) bool {
			cells := strings.Split(line, "|")
			return len(cells) != columns || !is(cells)
		})
	}
	switch {
	case all(3, func(c []string) bool { return names(c[1], c[2]) }):
		return []string{"path", "speaker", "text"}
	case all(4, func(c []string) bool { return names(c[1], c[3]) && word(c[2]) }):
		return []string{"path", "speaker", "language", "text"}
	case all(3, func(c []string) bool { return number(c[2]) }):
		return []string{"path", "text", "speaker"}
	}
	return []string{"path", "text", "normalized_text"}
}

// names says whether a cell looks like the name of who says the text.
func names(cell, text string) bool {
	return word(cell) && (number(cell) || !word(text) || ascii(cell) && !ascii(text))
}

func word(s string) bool { return s != "" && !strings.ContainsAny(strings.TrimSpace(s), " \t") }

func number(s string) bool {
	_, err := strconv.Atoi(strings.TrimSpace(s))
	return err == nil
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// beginning is the first lines of a file that are not empty, as far as 4 KB go; one empty line where there are none.
func beginning(in *bufio.Reader) []string {
	head, err := in.Peek(4096)
	lines := strings.Split(string(head), "\n")
	if err == nil && len(lines) > 1 {
		lines = lines[:len(lines)-1] // the last is cut
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	if lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" }); len(lines) == 0 {
		return []string{""}
	}
	return lines
}
