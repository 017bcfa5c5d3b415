package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"saturate/internal/files"
	"saturate/internal/npy"
)

// npyFormat is a folder: mel.npy, a .npy file a column of numbers, and rows.jsonl with the columns of
// texts, an object a row. attributes.json holds the parameters.
type npyFormat struct{ shape shape }

// npyHeader is the bytes of mel.npy's header: a page, so that values can be mapped by themselves.
const npyHeader = 4096

func newNPY(_ Options, s shape, _ *List) format { return &npyFormat{s} }

func (f *npyFormat) file(int) string { return "mel.npy" }

func (f *npyFormat) folder() bool  { return true }
func (f *npyFormat) ordered() bool { return false }

func (f *npyFormat) begin(o *output) error { return o.blank(0, npyHeader) }

func (f *npyFormat) place(c *cursor, r *rowInfo, rec *record) {
	rec.file, rec.at, rec.values = 0, npyHeader+2*c.values, r.values
	c.values += int64(r.values)
}

var npyTypes = map[kind]string{flags: "|u1", wholes: "<i8", reals: "<f8"}

func (f *npyFormat) finish(o *output, t *table) error {
	mel, err := o.file(0)
	if err != nil {
		return err
	}
	shape := []int64{t.values}
	if !f.shape.ragged {
		shape = []int64{t.rows, int64(f.shape.params.Mels), int64(f.shape.frames(f.shape.length))}
	}
	head, err := npy.Header("<f2", shape, npyHeader)
	if err != nil {
		return err
	}
	if err := mel.Truncate(npyHeader + 2*t.values); err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	if _, err := mel.WriteAt(head, 0); err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	for i := range t.columns {
		if c := &t.columns[i]; c.kind != texts {
			err := writeFile(filepath.Join(o.part, c.name+".npy"), func(w io.Writer) error {
				head, err := npy.Header(npyTypes[c.kind], []int64{t.rows}, 128)
				if err != nil {
					return err
				}
				if _, err := w.Write(head); err != nil {
					return err
				}
				return t.binary(c, func(block []byte) error { _, err := w.Write(block); return err })
			})
			if err != nil {
				return err
			}
		}
	}
	if err := writeFile(filepath.Join(o.part, "rows.jsonl"), func(w io.Writer) error { return t.textRows(w) }); err != nil {
		return err
	}
	return writeAttributes(filepath.Join(o.part, attributesName), t)
}

// textRows writes the columns of texts, an object a row.
func (t *table) textRows(w io.Writer) error {
	var line []byte
	for row := range t.rows {
		r := t.row(row)
		line = append(line[:0], '{')
		for i := range t.columns {
			if c := &t.columns[i]; c.kind == texts {
				line = appendField(line, c, r)
			}
		}
		if _, err := w.Write(append(line, "}\n"...)); err != nil {
			return err
		}
	}
	return nil
}

// attributesName is the file of the parameters in a folder.
const attributesName = "attributes.json"

func attributesJSON(t *table) ([]byte, error) {
	m := map[string]any{}
	for _, a := range t.b.attributes {
		m[a.name] = a.value
	}
	return json.MarshalIndent(m, "", "  ")
}

func writeAttributes(path string, t *table) error {
	text, err := attributesJSON(t)
	if err != nil {
		return err
	}
	return writeFile(path, func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err })
}

// readAttributes reads them back, whole numbers as int64.
func readAttributes(path string) (map[string]any, error) {
	text, err := files.Read(path, files.MaxRecord)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", attributesName, reason(err))
	}
	return parseAttributes(text)
}

func parseAttributes(text []byte) (map[string]any, error) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	m := map[string]any{}
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	for k, v := range m {
		if n, ok := v.(json.Number); ok {
			if i, err := n.Int64(); err == nil {
				m[k] = i
			} else if f, err := n.Float64(); err == nil {
				m[k] = f
			}
		}
	}
	return m, nil
}

func (f *npyFormat) open(path string) (*built, error) {
	b := &built{}
	var err error
	if b.attributes, err = readAttributes(filepath.Join(path, attributesName)); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(path, "*.npy"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		file, err := files.Open(name)
		if err != nil {
			return nil, b.fail(err)
		}
		info, err := readNPY(file)
		if err != nil {
			return nil, b.fail(errors.Join(fmt.Errorf("%s: %w", filepath.Base(name), err), file.Close()))
		}
		if filepath.Base(name) == "mel.npy" {
			b.dims = info.Shape
			b.features = func(first int64, dst []uint16) error { return readHalf(file, info.Start+2*first, dst) }
			b.closers = append(b.closers, file.Close)
			continue
		}
		file.Close()
		raw, err := files.Read(name, files.MaxJournal)
		if err != nil {
			return nil, b.fail(err)
		}
		b.addNumbers(strings.TrimSuffix(filepath.Base(name), ".npy"), raw[info.Start:], int(info.Size()), info.Type == "<f8")
	}
	if b.features == nil {
		return nil, b.fail(fmt.Errorf("%s has no mel.npy", path))
	}
	return b, b.readRows(filepath.Join(path, "rows.jsonl"))
}

// readNPY reads a file's header, and whether all is there that it tells of.
func readNPY(file *os.File) (npy.Info, error) {
	head := make([]byte, npyHeader)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return npy.Info{}, err
	}
	info, err := npy.Read(head[:n])
	if err != nil {
		return info, err
	}
	stat, err := file.Stat()
	if err != nil {
		return info, err
	}
	return info, info.Whole(stat.Size())
}

// readRows reads the columns of texts.
func (b *built) readRows(path string) error {
	file, err := files.Open(path)
	if err != nil {
		return b.fail(err)
	}
	defer file.Close()
	d := json.NewDecoder(file)
	for {
		var row map[string]string
		if err := d.Decode(&row); err == io.EOF {
			return nil
		} else if err != nil {
			return b.fail(err)
		}
		for k, v := range row {
			if b.texts == nil {
				b.texts = map[string][]string{}
			}
			b.texts[k] = append(b.texts[k], v)
		}
	}
}
