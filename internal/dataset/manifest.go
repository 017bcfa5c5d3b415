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
	before := len(f.list.Items)
	take := func(e rows.Row) error {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		return f.entry(filepath.Dir(path), e)
	}
	if ending := filepath.Ext(path); strings.EqualFold(ending, ".scp") {
		err = readSCP(rows.Plain(r), take)
	} else {
		err = rows.Read(ending, r, take)
	}
	if err == nil && len(f.list.Items) == before {
		err = errors.New("it names no audio")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// entry makes an item of a row. One that is a string is a path.
func (f *finder) entry(dir string, e rows.Row) error {
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
		case name == "offset" && v.number:
			it.Start, _ = strconv.ParseFloat(v.text, 64)
		case name == "duration" && v.number && slices.Contains(e.Names, "offset"):
			it.Span, _ = strconv.ParseFloat(v.text, 64)
		}
		it.set(f.list.column(clean(name)), value{clean(v.text), v.number})
	}
	switch {
	case it.Path == "":
		it.Path, it.Bad = e.Place, "the manifest names no file"
	case strings.IndexByte(it.Path, 0) >= 0:
		it.Bad = "its name has a zero byte"
	case it.Start < 0 || it.Span < 0:
		it.Bad = "the manifest says a negative offset or duration"
	}
	if !filepath.IsAbs(it.Path) {
		it.Path = filepath.Join(dir, it.Path)
	}
	if it.Bad != "" {
		f.list.add(it)
		return nil
	}
	f.add(it)
	return nil
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
