package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/rows"
)

// pathColumns are the names under which manifests keep the audio: NeMo, Hugging Face, Common Voice, own ones.
var pathColumns = []string{"audio_filepath", "audio", "path", "file_name", "audio_path", "file", "filename", "wav"}

// manifest takes the files that a list names. Relative paths start at the folder of the list.
func (f *finder) manifest(path string) error {
	r, err := os.Open(f.path(path))
	if err != nil {
		return fmt.Errorf("cannot read the manifest: %w", err)
	}
	defer r.Close()
	f.list.lists = append(f.list.lists, path)
	before := len(f.list.Items)
	take := func(e rows.Row) error {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		return f.entry(path, e)
	}
	if isSCP(path) {
		err = readSCP(rows.Plain(r), take)
	} else {
		err = rows.Read(filepath.Ext(path), r, take)
	}
	if err == nil && len(f.list.Items) == before {
		err = errors.New("it names no audio")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// entry makes an item of a row. One that is a string is a path. Where there is none, the row's place takes its place.
func (f *finder) entry(list string, e rows.Row) error {
	if e.Damaged {
		f.list.add(Item{Path: list + " " + e.Place, Bad: "the list is no valid UTF-8 there; convert it, for instance with iconv"})
		return nil
	}
	if e.Names == nil {
		e.Names, e.Cells = []string{"path"}, []rows.Cell{{Text: e.Text}}
	}
	at, err := f.pathColumn(e.Names)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Place, err)
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
		case name == "duration" && slices.Contains(e.Names, "offset"):
			it.Span = seconds(v.text)
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
	case it.Start < 0 || it.Span < 0:
		it.Bad = fmt.Sprintf("the list's offset and duration must be numbers from 0 to %g, in seconds", float64(mostSeconds))
	}
	switch {
	case it.Path == "":
		it.Path = list + " " + e.Place
	case !filepath.IsAbs(it.Path):
		it.Path = filepath.Join(filepath.Dir(list), it.Path)
	}
	if it.Bad != "" {
		f.list.add(it)
		return nil
	}
	f.add(it)
	return nil
}

// mostSeconds of offset and duration: more than any file has.
const mostSeconds = 1e9

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
