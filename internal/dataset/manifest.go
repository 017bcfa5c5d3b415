package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// pathColumns are the names under which manifests keep the audio: NeMo, Hugging Face, Common Voice, own ones.
var pathColumns = []string{"audio_filepath", "audio", "path", "file_name", "audio_path", "file", "filename", "wav"}

// Larger values are mistakes, or would be no column any more.
const longestLine = 64 << 20

// row is one entry of a manifest: its columns in their order.
type row struct {
	names  []string
	values []value
	place  string // "line 7"
}

// manifest takes the files that a list names. Relative paths start at the folder of the list.
func (f *finder) manifest(path string) error {
	r, err := os.Open(f.path(path))
	if err != nil {
		return fmt.Errorf("cannot read the manifest: %w", err)
	}
	defer r.Close()
	in := bufio.NewReaderSize(r, 1<<16)
	if bom, _ := in.Peek(3); string(bom) == "\xEF\xBB\xBF" {
		in.Discard(3)
	}
	before := len(f.list.Items)
	take := func(e row) error {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		return f.entry(filepath.Dir(path), e)
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		err = readTable(in, ',', take)
	case ".tsv":
		err = readTable(in, '\t', take)
	case ".scp":
		err = readSCP(in, take)
	case ".json":
		err = readDocument(in, take)
	default:
		err = readJSONLines(in, take)
	}
	if err == nil && len(f.list.Items) == before {
		err = errors.New("it names no audio")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// entry makes an item of a row.
func (f *finder) entry(dir string, e row) error {
	at, err := f.pathColumn(e.names)
	if err != nil {
		return fmt.Errorf("%s: %w", e.place, err)
	}
	it := Item{}
	for i, name := range e.names {
		v := e.values[i]
		switch {
		case i == at:
			it.Path = audioPath(v.text)
			continue
		case name == "offset" && v.number:
			it.Start, _ = strconv.ParseFloat(v.text, 64)
		case name == "duration" && v.number && slices.Contains(e.names, "offset"):
			it.Span, _ = strconv.ParseFloat(v.text, 64)
		}
		it.set(f.list.column(clean(name)), value{clean(v.text), v.number})
	}
	switch {
	case it.Path == "":
		it.Path, it.Bad = e.place, "the manifest names no file"
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

// eachLine reads lines of up to longestLine bytes.
func eachLine(in *bufio.Reader, do func(line []byte, place string) error) error {
	var long []byte
	for n := 1; ; n++ {
		long = long[:0]
		for {
			part, err := in.ReadSlice('\n')
			long = append(long, part...)
			if len(long) > longestLine {
				return fmt.Errorf("line %d is longer than %d MB", n, longestLine>>20)
			}
			if err == bufio.ErrBufferFull {
				continue
			}
			if line := bytes.TrimSpace(long); len(line) > 0 {
				if err := do(line, fmt.Sprintf("line %d", n)); err != nil {
					return err
				}
			}
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return fmt.Errorf("cannot read it: %w", err)
			}
			break
		}
	}
}

func readJSONLines(in *bufio.Reader, take func(row) error) error {
	return eachLine(in, func(line []byte, place string) error {
		e, err := jsonRow(line, place)
		if err != nil {
			return err
		}
		return take(e)
	})
}

// readDocument takes an array of objects, an object with one in it, as data sets are exported, or lines.
func readDocument(in *bufio.Reader, take func(row) error) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("cannot read it: %w", err)
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			return readJSONLines(bufio.NewReader(bytes.NewReader(data)), take)
		}
		for _, key := range []string{"data", "rows", "items", "entries", "samples"} {
			if json.Unmarshal(object[key], &rows) == nil && rows != nil {
				break
			}
		}
		if rows == nil {
			return errors.New("it is a JSON object without an array named data, rows, items, entries or samples")
		}
	}
	for i, r := range rows {
		e, err := jsonRow(r, fmt.Sprintf("entry %d", i+1))
		if err != nil {
			return err
		}
		if err := take(e); err != nil {
			return err
		}
	}
	return nil
}

// jsonRow reads an object with its fields in their order, or a string that is a path.
func jsonRow(data []byte, place string) (row, error) {
	e := row{place: place}
	var path string
	if json.Unmarshal(data, &path) == nil {
		e.names, e.values = []string{"path"}, []value{{text: path}}
		return e, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	fail := func(err error) (row, error) {
		return e, fmt.Errorf("%s is neither a JSON object nor a string: %w", place, err)
	}
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fail(errors.Join(err, fmt.Errorf("it begins with %.20s", data)))
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return fail(err)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fail(err)
		}
		e.names, e.values = append(e.names, key.(string)), append(e.values, cell(raw))
	}
	if _, err := d.Token(); err != nil {
		return fail(err)
	}
	// The rows of data-set viewers are wrapped: {"row_idx": 0, "row": {…}}.
	if i := slices.Index(e.names, "row"); i >= 0 && strings.HasPrefix(e.values[i].text, "{") {
		return jsonRow([]byte(e.values[i].text), place)
	}
	return e, nil
}

// cell is a JSON value as a column keeps it: strings without quotes, null as nothing, the rest as JSON.
func cell(raw json.RawMessage) value {
	text := string(bytes.TrimSpace(raw))
	switch {
	case text == "null":
		return value{}
	case strings.HasPrefix(text, `"`):
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return value{text: s}
		}
	case strings.ContainsAny(text[:min(1, len(text))], "-0123456789"):
		return value{text, true}
	}
	return value{text: text}
}

// readTable takes CSV or TSV. Cells stay texts: 007 is a name as often as a number.
func readTable(in io.Reader, comma rune, take func(row) error) error {
	r := csv.NewReader(in)
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = comma, -1, comma == '\t'
	header, err := r.Read()
	if err == io.EOF {
		return errors.New("it is empty")
	}
	if err != nil {
		return err
	}
	for {
		cells, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		e := row{place: fmt.Sprintf("line %d", line), names: header, values: make([]value, len(header))}
		for i := range e.values {
			if i < len(cells) {
				e.values[i] = value{text: cells[i]}
				// NeMo's two numbers may come in a table as well.
				if _, err := strconv.ParseFloat(cells[i], 64); err == nil && (header[i] == "offset" || header[i] == "duration") {
					e.values[i].number = true
				}
			}
		}
		if err := take(e); err != nil {
			return err
		}
	}
}
