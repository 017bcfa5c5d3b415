package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/rows"
)

// pathColumns are the names under which manifests keep the audio: NeMo, Hugging Face, Common Voice, own ones.
var pathColumns = []string{"audio_filepath", "audio", "path", "file_name", "audio_path", "file", "filename", "wav"}

// manifest takes the files that a list names.
func (f *finder) manifest(path string) error {
	before := len(f.list.Items)
	err := f.rows(path, func(e rows.Row) error {
		it, err := f.item(path, e)
		switch {
		case err != nil:
			return err
		case it.Bad != "":
			f.list.add(it)
		default:
			f.add(it)
		}
		return nil
	})
	switch named := f.list.Items[before:]; {
	case err != nil:
	case len(named) == 0:
		err = errors.New("it names no audio")
	case isText(path) && !slices.ContainsFunc(named, func(it Item) bool { return it.Bad == "" }):
		err = errors.New("none of its lines names a file; a .txt is read as a list of audio, a path a line")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// rows reads a list, whatever its form.
func (f *finder) rows(path string, take func(rows.Row) error) error {
	file, err := os.Open(f.path(path))
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
	case isSCP(path):
		return readSCP(r, each)
	case isText(path):
		return readText(r, each)
	case isLJSpeech(path, r):
		return readLJSpeech(r, each)
	}
	return rows.Read(filepath.Ext(path), r, each)
}

// item makes an item of a row. One that is a string is a path. Where there is none, the row's place takes its place.
func (f *finder) item(list string, e rows.Row) (Item, error) {
	if e.Damaged {
		return Item{Path: list + " " + e.Place, Bad: "the list is no valid UTF-8 there; convert it, for instance with iconv"}, nil
	}
	if e.Names == nil {
		e.Names, e.Cells = []string{"path"}, []rows.Cell{{Text: e.Text}}
	}
	at, err := f.pathColumn(e.Names)
	if err != nil {
		return Item{}, fmt.Errorf("%s: %w", e.Place, err)
	}
	it := Item{}
	for i, name := range e.Names {
		v := valueOf(e, i)
		switch {
		case i == at:
			it.Path = audioPath(v.text)
			continue
		case v.text == "":
		case name == "offset":
			it.Start = seconds(v.text)
		case name == "duration":
			it.Span = seconds(v.text) // until spans has seen all rows
		}
		it.set(f.list.column(clean(name)), value{clean(v.text), v.number})
	}
	switch {
	case it.Path == "":
		it.Bad = "the list names no file there"
	case strings.IndexByte(it.Path, 0) >= 0:
		it.Bad = "its name has a zero byte"
	case strings.Contains(it.Path, "://"):
		it.Path, it.Bad = "", fmt.Sprintf("%q is an address, and nothing is fetched; download it, and name the file", it.Path)
	case strings.HasSuffix(it.Path, "|") && isSCP(list):
		it.Path, it.Bad = "", fmt.Sprintf("%q is a command, and a list of inputs runs no programs; write its output to a file", it.Path)
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

// resolve finds a file that a list names: beside the list, in the folders where Common Voice and LJSpeech keep their audio, or where the
// command runs, as Kaldi means it, and NeMo.
func (f *finder) resolve(list, name string) string {
	dir := filepath.Dir(list)
	beside := filepath.Join(dir, name)
	for _, path := range []string{beside, filepath.Join(dir, "clips", name), filepath.Join(dir, "wavs", name), filepath.Clean(name)} {
		if _, err := os.Stat(f.path(path)); !errors.Is(err, fs.ErrNotExist) {
			return path
		}
	}
	return beside
}

// spans lets durations choose a part of a file where any row has an offset, as NeMo means both. Elsewhere a duration only says how long the
// file is, more or less.
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

var noSeconds = fmt.Sprintf("the list's offset and duration must be numbers from 0 to %g, in seconds", float64(mostSeconds))

// seconds reads an offset or a duration, -1 for what cannot be one.
func seconds(text string) float64 {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s >= 0 && s <= mostSeconds) {
		return -1
	}
	return s
}

// audioPath is the cell itself, or the path in what Hugging Face's Audio column holds.
func audioPath(cell string) string {
	var audio struct{ Path string }
	if strings.HasPrefix(cell, "{") && json.Unmarshal([]byte(cell), &audio) == nil && audio.Path != "" {
		return audio.Path
	}
	return cell
}

func (f *finder) pathColumn(names []string) (int, error) {
	wanted := pathColumns
	if f.opt.PathColumn != "" {
		wanted = []string{f.opt.PathColumn}
	}
	for _, w := range wanted {
		if i := slices.Index(names, w); i >= 0 {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no column is named %s; there are %s: name one with --path-column",
		strings.Join(wanted, " or "), strings.Join(names, ", "))
}

// valueOf is a cell as a column keeps it; nothing where the row is short. NeMo's two numbers are numbers in a table too.
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
