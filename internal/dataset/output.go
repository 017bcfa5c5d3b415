package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"saturate/internal/files"
)

// A format is how rows lie in files, and what stands beside them.
type format interface {
	// folder says whether the output is a folder of files, and file what they are called there.
	folder() bool
	file(i int) string
	// ordered says whether a row's place depends on those before it though all have the same shape.
	ordered() bool
	// place says where a row goes, and moves the cursor behind it. Bytes around it are appended
	// to those of the record. A row that takes no place at all has no values and no bytes.
	place(c *cursor, r *rowInfo, rec *record)
	// begin makes an output that partial had made readable unreadable again.
	begin(o *output) error
	// finish writes everything else. It may be called for the first rows alone, and again later.
	finish(o *output, t *table) error
	// open reads a finished output.
	open(path string) (*built, error)
}

// Formats are the kinds of output, in the order of the help.
var Formats = []struct {
	Name    string
	Endings []string // that choose it; none for a folder
	What    string   // for the help
	is      func(path string) bool
	make    func(o Options, s shape, l *List) format
}{
	{"hdf5", []string{".h5", ".hdf5"}, "one file, contiguous datasets, parameters as attributes", begins("\x89HDF"), newHDF5},
	{"npy", nil, "mel.npy for memory mapping, one .npy file per column, rows.jsonl", holds("mel.npy"), newNPY},
	{
		"webdataset", nil, "tar shards of --shard-rows rows, with NNNNNNNNN.npy and NNNNNNNNN.json per row",
		holds("index.npy", "mel-000000.tar"), newTar,
	},
	{"parquet", []string{".parquet"}, "list<list<float16>> and columns, for Hugging Face datasets", begins("PAR1"), newParquet},
}

// begins recognizes a file by its first bytes.
func begins(magic string) func(path string) bool {
	return func(path string) bool {
		f, err := files.Open(path)
		if err != nil {
			return false
		}
		defer f.Close()
		head := make([]byte, len(magic))
		_, err = io.ReadFull(f, head)
		return err == nil && string(head) == magic
	}
}

// holds recognizes a folder by a file in it: any of these.
func holds(names ...string) func(path string) bool {
	return func(path string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			_, err := os.Stat(filepath.Join(path, name))
			return err == nil
		})
	}
}

// FormatsText lists the formats for the help, one a line.
func FormatsText() string {
	var b strings.Builder
	for _, f := range Formats {
		form := "a folder"
		if len(f.Endings) > 0 {
			form = f.Endings[0]
		}
		fmt.Fprintf(&b, "  %-11s %-10s %s\n", f.Name, form, f.What)
	}
	return b.String()
}

// FormatNames lists them.
func FormatNames() (names []string) {
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// FormatOf is the format that a name's ending chooses, or "".
func FormatOf(path string) string {
	for _, f := range Formats {
		for _, e := range f.Endings {
			if strings.EqualFold(filepath.Ext(path), e) {
				return f.Name
			}
		}
	}
	return ""
}

func newFormat(o Options, s shape, l *List) (format, error) {
	for _, f := range Formats {
		if f.Name == o.To {
			return f.make(o, s, l), nil
		}
	}
	return nil, fmt.Errorf("unknown format %q; use one of %s", o.To, strings.Join(FormatNames(), ", "))
}

// output is the files under construction.
type output struct {
	final   string
	part    string // its PartName
	folder  bool
	name    func(file int) string // of the files in a folder
	buffer  func(size int) []byte // memory for a row
	mapping *mapping              // of the only file, or nil where rows are written to files
	mu      sync.Mutex
	files   []*os.File
}

// PartName is where an output is until it is complete.
func PartName(final string) string { return strings.TrimRight(final, "/") + ".part" }

func journalName(final string) string { return strings.TrimRight(final, "/") + ".journal" }

// quarantineName is the list of files that could not be used, beside an output.
func quarantineName(final string) string {
	return strings.TrimRight(final, "/") + ".quarantine.jsonl"
}

// file gives one of the output's files, opened when it is first asked for.
func (o *output) file(i int) (*os.File, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.files) <= i {
		o.files = append(o.files, nil)
	}
	if o.files[i] != nil {
		return o.files[i], nil
	}
	path := o.part
	if o.folder {
		if err := files.OwnFolder(path, 0o755); err != nil {
			return nil, fmt.Errorf("cannot create the output: %w; choose another with --output", err)
		}
		path = filepath.Join(path, o.name(i))
	}
	f, err := files.OpenOwn(path, files.Shared)
	if err != nil {
		return nil, fmt.Errorf("cannot write the output: %w; choose another with --output", err)
	}
	o.files[i] = f
	return f, nil
}

// blank writes zeros at the beginning of a file.
func (o *output) blank(file, size int) error {
	f, err := o.file(file)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(make([]byte, size), 0); err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	return nil
}

// mapTo has rows written to the first file as memory, from one place to another.
func (o *output) mapTo(first, end int64) error {
	f, err := o.file(0)
	if err != nil {
		return err
	}
	o.mapping, err = newMapping(f, first, end)
	return err
}

// room is a worker's place for one row on its way into a file: the values, and around them, touching
// them, what the format puts there.
type room struct {
	rec           record
	before, after []byte // memory of the record's
	words         []uint16
	start         int // of the values in words, in bytes
}

// dest is where the values of a record are computed.
func (o *output) dest(rm *room) []uint16 {
	rec := &rm.rec
	rm.start = (len(rec.before) + 63) &^ 63
	need := rm.start/2 + rec.values + (len(rec.after)+1)/2
	if cap(rm.words) < need {
		memory := o.buffer(2 * need)
		rm.words = unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/2)
	}
	return rm.words[rm.start/2:][:rec.values]
}

// write puts a record into its file.
func (o *output) write(rm *room) error {
	rec := &rm.rec
	all := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(rm.words))), 2*cap(rm.words))
	from, end := rm.start-len(rec.before), rm.start+2*rec.values
	copy(all[from:], rec.before)
	end += copy(all[end:], rec.after)
	if err := o.writeAt(all[from:end], rec); err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	return nil
}

func (o *output) writeAt(b []byte, rec *record) error {
	if o.mapping != nil {
		return o.mapping.write(b, rec.at)
	}
	f, err := o.file(rec.file)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, rec.at)
	return err
}

// sync flushes everything that was written.
func (o *output) sync() error {
	o.mu.Lock()
	files := append([]*os.File(nil), o.files...)
	o.mu.Unlock()
	for _, f := range files {
		if f != nil {
			if err := f.Sync(); err != nil {
				return fmt.Errorf("cannot sync the output: %w", err)
			}
		}
	}
	return nil
}

// release unmaps and closes the files.
func (o *output) release() error {
	var errs []error
	if o.mapping != nil {
		errs = append(errs, o.mapping.close())
		o.mapping = nil
	}
	for _, f := range o.files {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	o.files = nil
	return errors.Join(errs...)
}

// appear gives the finished output its name.
func (o *output) appear(replace, flush bool) error {
	final := strings.TrimRight(o.final, "/")
	if isEmptyFolder(final) {
		os.Remove(final) // not every system renames over it
	}
	if replace {
		if err := os.RemoveAll(final); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot replace the output: %w", err)
		}
	}
	if err := os.Rename(o.part, final); err != nil {
		return fmt.Errorf("cannot rename the output: %w", err)
	}
	if flush {
		_ = files.SyncFolder(filepath.Dir(final))
	}
	return nil
}
