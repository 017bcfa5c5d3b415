package project

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/pysrc"
)

// Sizes beyond which a file is not source but data.
const (
	defaultMaxBytes  = 5 << 20
	maxSettingsBytes = 512 << 10
	maxJSONBytes     = 128 << 10       // beyond it JSON is data
	maxNotebookBytes = files.MaxSource // pictures are kept in them
	maxVersionsBytes = 20 << 20
)

// read reads every file, several at a time, and keeps the results in the order of the files.
func (p *Project) read(ctx context.Context, list []file, opt Options) error {
	python := 0
	for _, f := range list {
		if f.kind == pythonFile {
			python++
		}
	}
	p.outlined = python > mostInFull
	results := make([]readFile, len(list))
	told := Told(opt.Progress, len(list))
	err := inParallel(ctx, opt.Workers, len(list), func(i int) {
		f := list[i]
		f.outline = p.outlined && f.kind == pythonFile && !f.named
		f.test = f.outline && roleOfPath(p.relative(f.path)) == Test
		results[i] = readOne(f, opt)
		told()
	})
	if err != nil {
		return err
	}
	var unread []error
	for i, r := range results {
		switch {
		case list[i].named && r.left != "":
			unread = append(unread, fmt.Errorf("%s was not read: %s", list[i].path, r.left))
		case list[i].named && r.broken != "":
			unread = append(unread, fmt.Errorf("%s: %s", list[i].path, r.broken))
		}
		if list[i].above {
			r = readFile{versions: r.versions}
		}
		p.keep(r)
	}
	return errors.Join(unread...)
}

func (p *Project) keep(r readFile) {
	p.Warnings = append(p.Warnings, r.warnings...)
	if r.module != nil {
		p.Modules = append(p.Modules, r.module)
	}
	if r.settings != nil && r.settings.Language == "gin" {
		p.gin = append(p.gin, r.settings) // its keys are parameters of the program's own
	} else if r.settings != nil {
		p.Settings = append(p.Settings, r.settings)
	}
	if r.script != nil {
		p.Scripts = append(p.Scripts, r.script)
	}
	p.Versions.add(r.versions)
	p.unkept += r.unread
}

type readFile struct {
	module   *Module
	settings *Settings
	script   *Source
	versions []Requirement
	warnings []Warning
	left     string // why nothing of the file was read
	broken   string // the first place that is not Python
	unread   int    // lines of a test that is left out
}

func readOne(f file, opt Options) (r readFile) {
	limit := f.limit(opt)
	if f.size > limit {
		r.leave(f.path, "it has %s bytes; the limit is %s", human.Count(f.size), human.Count(limit))
		if limit == maxJSONBytes || f.kind == scriptFile {
			r.warnings = nil // nobody expects data to be read
		}
		return r
	}
	if f.outline && opt.Read == nil {
		room := rooms.Get().(*[]byte)
		defer rooms.Put(room)
		opt.Read = func(path string) (text []byte, err error) {
			*room, err = files.ReadInto(*room, path, limit)
			return *room, err
		}
		f.borrowed = true
	}
	text, ok := r.text(f, opt)
	if !ok {
		return r
	}
	r.take(f, text)
	if r.module != nil {
		r.module.of = f.of
	}
	if r.settings != nil {
		r.settings.of = f.of
	}
	return r
}

// rooms hold the text of files while they are read in outline, of which nothing of it stays.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// text reads the bytes of a file.
func (r *readFile) text(f file, opt Options) ([]byte, bool) {
	read := opt.Read
	if read == nil {
		read = func(path string) ([]byte, error) { return files.Read(path, f.limit(opt)) }
	}
	text, err := read(cmp.Or(f.of, f.path))
	if err != nil {
		r.leave(f.path, "it cannot be opened: %v", unwrapPath(err))
	}
	return text, err == nil
}

// limit is how large a file of its kind may be.
func (f *file) limit(opt Options) int64 {
	switch f.kind {
	case settingsFile:
		if settingsLanguage(f.path) == "json" {
			return maxJSONBytes
		}
		return maxSettingsBytes
	case notebookFile:
		return maxNotebookBytes
	case versionsFile:
		return maxVersionsBytes
	case scriptFile:
		return maxSettingsBytes
	}
	return opt.MaxBytes
}

func (r *readFile) warn(path string, line int, format string, args ...any) {
	r.warnings = append(r.warnings, Warning{Path: path, Line: line, Message: fmt.Sprintf(format, args...)})
}

// leave warns that the file is not read.
func (r *readFile) leave(path, format string, args ...any) {
	r.left = fmt.Sprintf(format, args...)
	r.warn(path, 0, "skipped: %s", r.left)
}

// take reads a file's text according to its kind.
func (r *readFile) take(f file, text []byte) {
	switch f.kind {
	case pythonFile:
		if strings.EqualFold(filepath.Base(f.path), "setup.py") {
			r.versions = versionsSaid(f.path, bytes.Clone(text))
		}
		switch {
		case f.test:
			r.unread = bytes.Count(text, []byte("\n")) // nobody trains with it, and nobody asks for its names
		case f.outline && r.outline(f.path, text):
		case f.borrowed:
			r.python(f.path, bytes.Clone(text))
		default:
			r.python(f.path, text)
		}
	case notebookFile:
		r.notebook(f.path, text)
	case settingsFile:
		r.readSettings(f.path, text)
		r.versions = versionsSaid(f.path, text)
	case versionsFile:
		r.versions = readVersions(f.path, text)
		if isDockerfile(strings.ToLower(filepath.Base(f.path))) {
			r.script = readScript(f.path, text)
		}
		if settingsLanguage(f.path) == "toml" {
			r.readSettings(f.path, text)
		}
	case scriptFile:
		r.script = readScript(f.path, text)
		r.versions = versionsSaid(f.path, text)
	}
}

func (r *readFile) python(path string, text []byte) {
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")):
		r.leave(path, "it is UTF-16, which Python cannot read; save it as UTF-8")
		return
	case bytes.IndexByte(text, 0) >= 0:
		r.leave(path, "it is a binary file")
		return
	}
	m := &Module{File: pysrc.Parse(path, text)}
	m.Source = &Source{Path: path, Text: m.File.Src, lines: m.File.LineStarts, Encoded: m.File.Encoding != "" &&
		m.File.Encoding != "utf-8"}
	r.syntax(m)
	m.index()
	r.module = m
}

// outline keeps only what a module's top level defines and imports, if that is enough for now.
func (r *readFile) outline(path string, text []byte) bool {
	return pysrc.Outline(path, text, isRootWord, func(f *pysrc.File) {
		r.module = &Module{Source: &Source{Path: path}, outlined: countLines(f.Src), digest: digestOf(f)}
		r.module.letGo()
	})
}

// syntax warns of the first place that is not Python; the rest is still read.
func (r *readFile) syntax(m *Module) {
	if err := m.File.Err(); err != nil {
		place := m.Place(err.Span)
		where := ""
		if place.Cell > 0 {
			where = fmt.Sprintf("cell %d, ", place.Cell)
		}
		r.broken = fmt.Sprintf("%sline %d is not valid Python (%s)", where, place.Line, err.Message)
		r.warn(m.Path, place.Line, "%s; the rest of the file was read", r.broken)
		r.warnings[len(r.warnings)-1].Cell = place.Cell
	}
}

func (r *readFile) readSettings(path string, text []byte) {
	if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) {
		r.leave(path, "it is not UTF-8 text")
		return
	}
	s := &Settings{Source: &Source{Path: path, Text: text, lines: lineStarts(text)}, Language: settingsLanguage(path)}
	var err error
	switch s.Language {
	case "yaml":
		err = parseYAML(s)
	case "json":
		err = parseJSON(s)
	case "toml":
		err = parseTOML(s)
	case "gin":
		err = parseGin(s)
	}
	var part partError
	if errors.As(err, &part) {
		r.warn(path, 0, "%v", part)
		err = nil
	}
	switch {
	case errors.Is(err, errNoSettings):
	case err != nil:
		r.leave(path, "%v", err)
	case s.Top.Kind == MappingSetting:
		r.settings = s
	}
}

// partError is why a part of a settings file was left out.
type partError struct{ error }

// Told makes of a progress function, which may be nil, one to call from several goroutines each
// time a part of the total is done.
func Told(progress func(done, total int), total int) func() {
	if progress == nil {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		progress(done, total)
	}
}

// inParallel calls work for 0 to n-1 from several goroutines. It stops early
// when the context ends, and hands on its error.
func inParallel(ctx context.Context, workers, n int, work func(int)) error {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(workers, n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				work(i)
			}
		}()
	}
	var err error
loop:
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			err = ctx.Err()
			break loop
		}
	}
	close(next)
	wg.Wait()
	return err
}
