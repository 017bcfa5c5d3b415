package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/files"
	"saturate/internal/rows"
)

// pathColumns are the names under which manifests keep the audio: NeMo, Hugging Face, Common Voice, own ones.
var pathColumns = []string{
	"audio_filepath", "audio", "path", "file_name", "audio_path", "audio_file", "file",
	"filename", "wav",
}

// manifest takes the files that a list names.
func (f *finder) manifest(path string) error {
	before, missing := len(f.list.Items), 0
	err := f.rows(path, func(e rows.Row) error {
		it, err := f.item(path, e)
		switch {
		case err != nil:
			return err
		case it.Bad != "":
			f.list.add(it)
		case !f.add(it):
			missing++
		}
		return nil
	})
	switch named := f.list.Items[before:]; {
	case err != nil:
	case len(named) == 0:
		err = errors.New("it lists no audio")
	case isText(path) && !slices.ContainsFunc(named, func(it Item) bool { return it.Bad == "" }):
		err = errors.New("none of its lines is a file; expected one path, or path|text, per line")
	case len(named) == missing:
		err = fmt.Errorf("none of its files exists, the first is %s; paths are relative to the list's folder, its clips/, "+
			"wavs/ or wav/, or the current folder", clean(named[0].Path))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// rows reads a list in any of its formats.
func (f *finder) rows(path string, take func(rows.Row) error) error {
	file, err := files.Open(f.path(path))
	if err != nil {
		return fmt.Errorf("cannot read the list: %w", reason(err))
	}
	defer file.Close()
	f.list.lists = append(f.list.lists, path)
	r, each := rows.Plain(file), func(e rows.Row) error {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		return take(e)
	}
	switch {
	case filepath.Base(path) == kaldiList:
		return f.readKaldi(path, r, each)
	case isSCP(path):
		return readSCP(r, each)
	case isTranscripts(path):
		return f.readTranscripts(path, r, each)
	case rows.Barred(r) && (isText(path) || strings.EqualFold(filepath.Ext(path), ".csv")):
		return rows.Bars(r, wavNames(each))
	case isText(path):
		return readText(r, each)
	}
	return rows.Read(filepath.Ext(path), r, each)
}

// item makes an item of a row. One that is a string is a path. Where there is none, the row's place takes its place.
func (f *finder) item(list string, e rows.Row) (Item, error) {
	if e.Damaged {
		return Item{
			Path: list + " " + e.Place,
			Bad:  "the list is not valid UTF-8 there; convert it, for example with iconv",
		}, nil
	}
	if e.Names == nil {
		e.Names, e.Cells = []string{"path"}, []rows.Cell{{Text: e.Text}}
	}
	at, err := f.pathColumn(list, e)
	if err != nil {
		return Item{}, fmt.Errorf("%s: %w", e.Place, err)
	}
	it := Item{}
	var inside audioCell
	for i, name := range e.Names {
		v := valueOf(e, i)
		switch {
		case i == at:
			inside = audioOf(v.text)
			it.Path, it.Bad = inside.Path, inside.bad
			continue
		case v.text == "":
		case name == "offset":
			it.Start = seconds(v.text)
		case name == "duration":
			it.Span = seconds(v.text) // until spans has seen all rows
		}
		it.set(f.list.column(clean(name)), value{clean(v.text), v.number})
	}
	if inside.Start != nil {
		it.part(f.list, *inside.Start, inside.End)
	}
	switch {
	case it.Bad != "":
	case it.Path == "":
		it.Bad = "the list has no file name there"
	case strings.IndexByte(it.Path, 0) >= 0:
		it.Bad = "its name contains a zero byte"
	case strings.Contains(it.Path, "://"):
		it.Path, it.Bad = "", fmt.Sprintf("%q is a URL; download it and list the file", it.Path)
	case (strings.HasSuffix(it.Path, "|") || strings.HasPrefix(it.Path, "|")) && isSCP(list):
		it.Path, it.Bad = "", fmt.Sprintf("%q is a command, and mel does not run commands from "+
			"lists; write its output to a file", it.Path)
	case it.Start < 0:
		it.Bad = noSeconds
	}
	switch {
	case it.Path == "":
		it.Path = list + " " + e.Place
	case !filepath.IsAbs(it.Path):
		it.Path = f.resolve(list, it.Path)
	}
	return it, nil
}

// resolve finds a file that a list names: beside the list, in the folders where Common Voice, LJSpeech and Piper keep
// their audio, or where the command runs, as Kaldi means it, and NeMo. Lists that were made on Windows have the other
// slashes.
func (f *finder) resolve(list, name string) string {
	dir := filepath.Dir(list)
	beside := filepath.Join(dir, name)
	for _, name := range slices.Compact([]string{name, strings.ReplaceAll(name, `\`, "/")}) {
		for _, path := range []string{
			filepath.Join(dir, name), filepath.Join(dir, "clips", name),
			filepath.Join(dir, "wavs", name), filepath.Join(dir, "wav", name), filepath.Clean(name),
		} {
			if _, err := os.Stat(f.path(path)); !errors.Is(err, fs.ErrNotExist) {
				return path
			}
		}
	}
	return beside
}

// spans lets durations choose a part of a file where any row has an offset, as NeMo means both. Elsewhere a duration
// only says how long the file is, more or less.
func (l *List) spans() {
	parts := slices.Contains(l.Columns, "offset")
	for i := range l.Items {
		it := &l.Items[i]
		switch {
		case !parts:
			it.Span = 0
		case it.Span < 0 && it.Bad == "":
			l.Bytes -= it.Size
			it.Bad, it.Size, it.Time = noSeconds, 0, 0
		}
	}
}

// mostSeconds of offset and duration: more than any file has.
const mostSeconds = 1e9

var noSeconds = fmt.Sprintf("offset and duration in the list must be 0 to %g seconds", float64(mostSeconds))

// seconds reads an offset or a duration, -1 for what cannot be one.
func seconds(text string) float64 {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s >= 0 && s <= mostSeconds) {
		return -1
	}
	return s
}

// audioCell is what the column of the audio says: a path, or what Hugging Face's Audio column holds, with the part of
// the file where it is given.
type audioCell struct {
	Path  string
	Start *float64 `json:"start_time"`
	End   *float64 `json:"end_time"`
	bad   string
}

func audioOf(cell string) (a audioCell) {
	switch {
	case !strings.HasPrefix(cell, "{") || json.Unmarshal([]byte(cell), &a) != nil:
		return audioCell{Path: cell}
	case a.Path == "":
		a.bad = "its audio object has no 'path'; if the list contains the audio itself, " +
			"write it to files first: see docs/mel.md"
	}
	return a
}

// part takes the seconds from start to end, to the end of the file where there is none, as offset and duration would.
func (it *Item) part(l *List, start float64, end *float64) {
	it.Start, it.Span = seconds(fmt.Sprint(start)), 0
	it.set(l.column("offset"), value{fmt.Sprint(start), true})
	if end != nil {
		span := duration(start, *end)
		it.Span = seconds(span)
		it.set(l.column("duration"), value{span, true})
	}
}

// duration writes the seconds between two places of a file, to a millionth: their difference has digits that nobody
// wrote.
func duration(start, end float64) string {
	return strconv.FormatFloat(math.Round((end-start)*1e6)/1e6, 'g', -1, 64)
}

// pathColumn finds the column that names the audio: one of the usual names, or the only one whose cell is named like
// audio.
func (f *finder) pathColumn(list string, e rows.Row) (int, error) {
	wanted := pathColumns
	switch {
	case f.opt.PathColumn != "":
		wanted = []string{f.opt.PathColumn}
	case f.guessed.list == list:
		wanted = []string{f.guessed.column}
	}
	for _, w := range wanted {
		if i := slices.Index(e.Names, w); i >= 0 {
			return i, nil
		}
	}
	if slices.ContainsFunc(e.Names, isAudioName) {
		return 0, errors.New("its first line is audio, not column names; add a header such as path,text")
	}
	if f.opt.PathColumn == "" {
		var like []int
		for i := range e.Cells {
			if isAudioName(e.Cells[i].Text) {
				like = append(like, i)
			}
		}
		if len(like) == 1 {
			f.guessed.list, f.guessed.column = list, e.Names[like[0]]
			return like[0], nil
		}
	}
	return 0, fmt.Errorf("no column %s; the columns are %s: choose one with --path-column",
		strings.Join(wanted, " or "), strings.Join(e.Names, ", "))
}

// valueOf is a cell as a column keeps it; nothing where the row is short. NeMo's two numbers are numbers in a table
// too.
func valueOf(e rows.Row, i int) value {
	if i >= len(e.Cells) {
		return value{}
	}
	c := e.Cells[i]
	v := value{c.Text, c.Kind == rows.Number}
	if e.Names[i] == "offset" || e.Names[i] == "duration" {
		_, err := strconv.ParseFloat(c.Text, 64)
		v.number = err == nil
	}
	return v
}
