package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"saturate/internal/files"
	"saturate/internal/human"
)

// Failed is a file that could not be used.
type Failed struct {
	Row    int64  `json:"row"`    // number of the row
	Path   string `json:"path"`   // of the file
	Reason string `json:"reason"` // why it could not be used
}

// Result is what a build did.
type Result struct {
	Output       string   `json:"output"` // the file or folder
	To           string   `json:"to"`     // format: hdf5, npy, parquet, webdataset
	Layout       string   `json:"layout"` // fixed or ragged
	Shape        []int64  `json:"shape"`  // of the features
	Files        int      `json:"files"`  // audio files that were read
	Failed       []Failed `json:"failed"`
	AudioSeconds float64  `json:"audio_seconds"`    // of the files, whole
	Cut          Cut      `json:"cut"`              // what rows had no room for
	Frames       int64    `json:"frames"`           // without padding
	Rows         int64    `json:"rows"`             // that were written
	Bytes        int64    `json:"bytes"`            // of the features
	WallSeconds  float64  `json:"wall_s"`           // that the build took
	FilesPerS    float64  `json:"files_per_s"`      // files per second
	AudioPerS    float64  `json:"audio_s_per_s"`    // seconds of audio per second
	ReadPerS     float64  `json:"read_mb_per_s"`    // MB per second read
	WrittenPerS  float64  `json:"written_mb_per_s"` // MB per second written
	Device       string   `json:"device"`           // cpu, or the GPUs that computed
	Workers      int      `json:"workers"`          // that decoded and computed at the same time
	Stages       Stages   `json:"stages"`
	Bound        string   `json:"bound,omitempty"`      // the stage that takes most
	Pinned       int64    `json:"pinned_bytes"`         // bytes of pinned host memory
	Resumed      int      `json:"resumed"`              // files that an earlier run had finished
	Complete     bool     `json:"complete"`             // the output holds every file
	Existing     bool     `json:"existing"`             // the output was complete before this run, which changed nothing
	Quarantine   string   `json:"quarantine,omitempty"` // file that lists what could not be used
	BadSamples   int64    `json:"bad_samples"`          // audio samples that were not numbers
	OddNames     int      `json:"odd_names"`            // names that are not UTF-8
	Notes        []string `json:"notes,omitempty"`      // what a reader has to know

	Steps []Step `json:"-"`

	outcomes []outcome // of every item
}

// Stopped is why a build ended before its time, and how far it had come.
type Stopped struct {
	Reason      error
	Done, Files int
	Partial     string // what can be read so far
}

func (s *Stopped) Error() string {
	what := s.Reason.Error()
	if errors.Is(s.Reason, context.Canceled) {
		what = "stopped"
	}
	text := fmt.Sprintf("%s\n%s of %s finished; the same command resumes",
		what, human.Count(s.Done), human.Plural(s.Files, "file"))
	if s.Partial != "" {
		text += "\n" + s.Partial
	}
	return text
}

func (s *Stopped) Unwrap() error { return s.Reason }

func (b *builder) describe() Result {
	return Result{
		Output: b.opt.Output, To: b.opt.To, Layout: b.opt.Layout, Files: len(b.list.Items), Failed: []Failed{},
		Workers: b.opt.Workers, OddNames: b.list.Odd, Notes: b.list.Notes,
	}
}

// settings are the attributes as texts, to be compared.
func (b *builder) settings() map[string]string {
	m := map[string]string{"to": b.opt.To}
	for _, a := range b.attributes {
		m[a.name] = fmt.Sprint(a.value)
	}
	return m
}

// existing looks at an existing file or folder of the output's name, and describes it if it is the wanted output.
func (b *builder) existing(r *Result) (complete bool, err error) {
	final := strings.TrimRight(b.opt.Output, "/")
	switch _, err := os.Lstat(final); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("cannot read the output: %w; choose another with --output", err)
	case b.opt.Replace:
		return false, b.replaceable(final)
	case isEmptyFolder(final) && b.form.folder():
		return false, nil // made for the output
	}
	old, err := b.form.open(final)
	if err != nil {
		hint := "choose another name"
		if b.replaceable(final) == nil {
			hint += ", or overwrite it with --replace"
		}
		return false, fmt.Errorf("%s exists and is not a saturate %s output (%w); %s", final, b.opt.To, reason(err), hint)
	}
	defer old.close()
	then := old.settings()
	then["to"] = b.opt.To
	if d := difference(then, b.settings(), func() string { return b.otherInputs(old) }); d != "" {
		return false, fmt.Errorf("%s exists with different settings: %s. Choose another name, or overwrite it with --replace",
			final, d)
	}
	c := &checker{built: old}
	if err := c.structure(&Options{}); err != nil {
		return false, fmt.Errorf("%s is damaged: %w; choose another name, or overwrite it with --replace", final, err)
	}
	r.Complete, r.Existing, r.Resumed = true, true, len(b.list.Items)
	r.Shape, r.Rows = old.dims, int64(len(old.texts["path"]))
	for row, path := range old.texts["path"] {
		r.Frames += int64(old.numbers["frames"][row])
		if seconds := old.numbers["duration"]; seconds != nil && b.shape.step == 0 {
			r.AudioSeconds += seconds[row]
			r.Cut.add(b.shape, seconds[row])
		}
		if errors := old.texts["error"]; errors != nil && errors[row] != "" {
			r.Failed = append(r.Failed, Failed{int64(row), path, errors[row]})
		}
	}
	if old.texts["error"] == nil { // a format that leaves them out
		if r.Failed, err = readQuarantine(quarantineName(final)); err != nil {
			return false, fmt.Errorf("%s is damaged: %w; remove it, or overwrite it with --replace", quarantineName(final), err)
		}
	}
	return true, nil
}

// finish writes what stands beside the features and gives the output its name.
func (b *builder) finish(r *Result) error {
	t := b.table(len(b.list.Items))
	r.Rows = t.rows
	r.Bytes = 2 * t.values
	r.Shape = []int64{t.values}
	if !b.shape.ragged {
		r.Shape = []int64{t.rows, int64(b.shape.params.Mels), int64(b.shape.frames(b.shape.length))}
	}
	b.collect(r, t)
	if n := len(b.list.Items); n > 0 && len(r.Failed) == n && !b.opt.barren {
		return errNothing
	}
	if err := b.form.finish(b.out, t); err != nil {
		return err
	}
	if b.opt.Fsync {
		if err := b.out.sync(); err != nil {
			return err
		}
	}
	if err := b.out.release(); err != nil {
		return fmt.Errorf("cannot close the output: %w", err)
	}
	if err := b.writeQuarantine(r); err != nil {
		return err
	}
	if err := b.out.appear(b.opt.Replace, b.opt.Fsync); err != nil {
		return err
	}
	os.Remove(journalName(b.opt.Output))
	return nil
}

// collect sums over all items, those of earlier runs too.
func (b *builder) collect(r *Result, t *table) {
	var c cursor
	for i := range b.results {
		o := &b.results[i]
		r.BadSamples += int64(o.odd)
		if o.state == quarantined {
			r.Failed = append(r.Failed, Failed{c.row, b.list.Items[i].name(), o.reason})
		} else {
			r.AudioSeconds += o.seconds
			r.Cut.add(b.shape, o.seconds)
			for s := range b.rowsOf(o) {
				r.Frames += int64(b.shape.sounding(o.samples, s))
			}
		}
		c.row += b.rowsOf(o)
	}
}

// readQuarantine reads the list that stands beside an output; where there is none, nothing failed.
func readQuarantine(path string) (failed []Failed, err error) {
	file, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return []Failed{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for d := json.NewDecoder(file); ; {
		var f Failed
		if err := d.Decode(&f); err == io.EOF {
			return failed, nil
		} else if err != nil {
			return nil, err
		}
		failed = append(failed, f)
	}
}

// writeQuarantine lists what could not be used, and removes the list when there is nothing to list.
func (b *builder) writeQuarantine(r *Result) error {
	path := quarantineName(b.opt.Output)
	if len(r.Failed) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove the old quarantine list: %w", err)
		}
		return nil
	}
	r.Quarantine = path
	_, err := files.Stream(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		for _, f := range r.Failed {
			if err := e.Encode(f); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cannot write the quarantine list: %w", err)
	}
	return nil
}

// stopped says how far a build came, and makes that readable when asked to.
func (b *builder) stopped(err error) error {
	s := &Stopped{Reason: err, Files: len(b.results)}
	if files.DiskFull(err) {
		s.Reason = fmt.Errorf("the disk is full: %w", err)
	}
	prefix := -1
	for i := range b.results {
		if b.results[i].state != todo {
			s.Done++
		} else if prefix < 0 {
			prefix = i
		}
	}
	if b.opt.Partial && prefix > 0 && b.out.files != nil {
		if err := b.partial(prefix); err != nil {
			return errors.Join(s, err)
		}
		s.Done = prefix
		s.Partial = fmt.Sprintf("%s is readable up to its first %s", b.out.part, human.Plural(prefix, "file"))
	}
	return s
}

// partial makes the first items readable where they are. What was finished behind them is forgotten: the
// rest of the file goes where its bytes are.
func (b *builder) partial(items int) error {
	clear(b.results[items:])
	if err := b.journal.rewrite(bootID(), b.settings(), b.list.Items, b.results); err != nil {
		return err
	}
	if err := b.form.finish(b.out, b.table(items)); err != nil {
		return err
	}
	return b.out.sync()
}

// report adds up where the time went.
func (b *builder) report(r *Result) {
	seconds := func(ns int64) float64 { return float64(ns) / 1e9 }
	s := Stages{
		Begin: b.beginning.Seconds() * float64(b.opt.Workers), Decode: seconds(b.stat.decode.Load()),
		Compute: seconds(b.stat.compute.Load()), Write: seconds(b.stat.write.Load()),
	}
	s.Other = max(0, r.WallSeconds*float64(b.opt.Workers)-s.Begin-s.Decode-s.Compute-s.Write)
	r.Stages = s
	most := 0.0
	for _, stage := range []struct {
		name string
		s    float64
	}{{"begin", s.Begin}, {"decode", s.Decode}, {"compute", s.Compute}, {"write", s.Write}, {"other", s.Other}} {
		if stage.s > most {
			r.Bound, most = stage.name, stage.s
		}
	}
	if b.steps != nil {
		r.Steps = b.steps.list
	}
}

// rates are of this run alone.
func (b *builder) rates(r *Result) {
	if r.WallSeconds <= 0 {
		return
	}
	r.FilesPerS = float64(b.stat.files.Load()) / r.WallSeconds
	r.AudioPerS = float64(b.stat.samples.Load()) / float64(b.shape.params.SampleRate) / r.WallSeconds
	r.ReadPerS = float64(b.stat.bytesIn.Load()) / 1e6 / r.WallSeconds
	r.WrittenPerS = float64(b.stat.bytesOut.Load()) / 1e6 / r.WallSeconds
}
