package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/pflag"

	"saturate/internal/analyze"
	"saturate/internal/human"
	"saturate/internal/parquet"
	"saturate/internal/report"
	"saturate/internal/report/picture"
	"saturate/internal/trace"
	"saturate/internal/trace/chrome"
	"saturate/internal/trace/table"
	"saturate/internal/view"
)

type exportOptions struct {
	reading
	output   string
	from, to time.Duration
	step     int64
}

// exportData is the JSON of an export.
type exportData struct {
	Files []exportedFile `json:"files"` // that were written
}

type exportedFile struct {
	Path  string `json:"path"`           // of the file
	Bytes int64  `json:"bytes"`          // size of the file
	Rows  int    `json:"rows,omitempty"` // of a table
}

var exportCommand = command{
	name: "export", group: show, args: "TRACE|RUN -o OUT", min: 1, max: 1,
	complete: completeTracesAndRuns, orFiles: true,
	short: "Convert a trace for Perfetto, DuckDB or pandas, or a Run for benchstat",
	long: `Convert a trace, a part of a trace, or a Run. OUT selects the format:

  .json, .json.gz   Chrome's trace format, for Perfetto and chrome://tracing, with the critical path and
                    the causes of the GPU's gaps as tracks, and queue lengths and copy bandwidth as counters
  .svg, .png        a picture of a part: steps, idle time by cause, streams, host threads
  a folder          Parquet tables: events, kernels, gaps and series (queue lengths, copy bandwidth)
  .txt              a Run's samples in Go's benchmark format, for benchstat`,
	example: `  saturate export big.pt.trace.json.gz --step 3 -o step3.json.gz
  saturate export big.pt.trace.json.gz --step 3 -o step3.svg
  saturate export big.pt.trace.json.gz -o tables/
  saturate export latest -o after.txt
  duckdb -c "select cause, sum(end_ns - start_ns) / 1e9 from 'tables/gaps.parquet' group by cause"`,
	data: exportData{},
	prepare: with(func(fs *pflag.FlagSet, o *exportOptions) {
		readingFlags(fs, &o.reading, "exported")
		fs.StringVarP(&o.output, "output", "o", "", "`FILE` ending in .json, .json.gz, .svg or .png, or a folder for tables; for a Run, a file ending in .txt")
		fs.DurationVar(&o.from, "from", 0, "start at this time in the trace, such as 1.5s")
		fs.DurationVar(&o.to, "to", 0, "end at this time in the trace")
		fs.Int64Var(&o.step, "step", -1, "export only this step; -1 for all")
		onCommandLineOnly(fs, "output", "from", "to", "step")
	}, runExport),
}

func runExport(ctx context.Context, env *Env, o exportOptions, args []string) (report.Report, error) {
	if o.output == "" {
		return report.Report{}, usage("export needs -o: a file ending in .json, .json.gz, .svg or .png, a folder for " +
			"Parquet tables, or, for a Run, a file ending in .txt")
	}
	path := env.path(o.output)
	if err := checkExport(path, strings.HasSuffix(o.output, "/")); err != nil {
		return report.Report{}, err
	}
	if err := env.spareExport(path); err != nil {
		return report.Report{}, err
	}
	if strings.HasSuffix(o.output, ".txt") {
		return exportRun(ctx, env, o, args[0])
	}
	traces, err := readTraces(ctx, env, o.reading, args)
	if err != nil {
		return report.Report{}, err
	}
	if len(traces) != 1 {
		return report.Report{}, usage("%s has %d traces; export one at a time", args[0], len(traces))
	}
	a, err := analyze.Everything(ctx, traces, analyze.Options{
		From: o.from.Nanoseconds(), To: o.to.Nanoseconds(),
		Step: o.step, Top: -1, Rank: -1, Series: true,
	})
	if err != nil {
		return report.Report{}, err
	}
	window := trace.Window{Start: a.Window.StartNS, End: a.Window.EndNS}
	var data exportData
	if isPicture(path) {
		err = data.write(ctx, path, func(w io.Writer) (int, error) { return 0, writePicture(w, path, view.OfWindow(traces[0], a)) })
	} else if strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".json.gz") {
		err = data.write(ctx, path, func(w io.Writer) (int, error) { return 0, writeChrome(w, path, traces[0], window, exportLanes(a)) })
	} else {
		err = data.writeTables(ctx, path, traces[0], window, a)
	}
	if err != nil {
		return report.Report{}, err
	}
	r := report.Report{Summary: []string{fmt.Sprintf("Wrote %s.", human.Plural(len(data.Files), "file"))}, Data: data}
	table := &report.Table{Columns: []report.Column{{Name: "File"}, {Name: "Bytes", Right: true}}}
	tables := len(data.Files) > 1 // each has rows
	if tables {
		table.Columns = append(table.Columns, report.Column{Name: "Rows", Right: true})
	}
	for i, f := range data.Files {
		data.Files[i].Path = env.shown(f.Path)
		row := []string{data.Files[i].Path, human.Count(f.Bytes)}
		if tables {
			row = append(row, human.Count(f.Rows))
		}
		table.Rows = append(table.Rows, row)
	}
	r.Blocks = []report.Block{{Table: table}}
	return r, nil
}

// checkExport says beforehand what would keep OUT from being written. A name with an ending that chooses no form is
// more likely a wish that cannot be granted than a folder.
func checkExport(path string, folder bool) error {
	name := filepath.Base(path)
	if !folder && (strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".json.gz") ||
		strings.HasSuffix(name, ".txt") || isPicture(name)) {
		return checkPlace(path)
	}
	switch info, err := os.Stat(path); {
	case err == nil && !info.IsDir():
		return usage("--output %s is an existing file; Parquet tables need a folder", path)
	case err != nil && !folder && filepath.Ext(name) != "":
		return usage("%s has an unsupported extension: use .json, .json.gz, .svg, .png or .txt, or a folder for Parquet "+
			"tables (%s/ if you mean a folder)", name, name)
	}
	return nil
}

// exportMark is in the beginning of every trace that saturate writes.
const exportMark = chrome.Mark

// spareExport asks spare for every file that will be written.
func (e *Env) spareExport(path string) error {
	switch {
	case strings.HasSuffix(path, ".json"):
		return e.spare(path, "trace", e.read)
	case strings.HasSuffix(path, ".json.gz"):
		return e.spare(path, "trace.gz", e.read)
	case strings.HasSuffix(path, ".txt"):
		return e.spare(path, "text", e.read)
	case isPicture(path):
		return e.spare(path, "", e.read)
	}
	for _, name := range tableNames {
		if err := e.spare(filepath.Join(path, name), "parquet", e.read); err != nil {
			return err
		}
	}
	return nil
}

var tableNames = []string{"events.parquet", "kernels.parquet", "gaps.parquet", "series.parquet"}

// exportRun writes the samples of a Run as benchmarks.
func exportRun(ctx context.Context, env *Env, o exportOptions, typed string) (report.Report, error) {
	r, err := findRun(env, typed)
	if err != nil {
		return report.Report{}, err
	}
	if len(r.Steps)+len(r.Series) == 0 {
		return report.Report{}, usage("the run %s has no samples to export", typed)
	}
	var data exportData
	if err := data.write(ctx, env.path(o.output), func(w io.Writer) (int, error) { return 0, r.WriteBenchmark(w) }); err != nil {
		return report.Report{}, err
	}
	data.Files[0].Path = env.shown(data.Files[0].Path)
	return report.Report{Summary: []string{fmt.Sprintf("Wrote %s. Read it with `benchstat %s`.", data.Files[0].Path, data.Files[0].Path)}, Data: data}, nil
}

func isPicture(path string) bool {
	return strings.HasSuffix(path, ".svg") || strings.HasSuffix(path, ".png")
}

func writePicture(w io.Writer, path string, p picture.Picture) error {
	data := p.SVG()
	if strings.HasSuffix(path, ".png") {
		var err error
		if data, err = p.PNG(false); err != nil {
			return err
		}
	}
	_, err := w.Write(data)
	return err
}

func writeChrome(w io.Writer, path string, t *trace.Trace, window trace.Window, lanes []chrome.Lane) error {
	if !strings.HasSuffix(path, ".gz") {
		return chrome.Export(w, t, window, lanes...)
	}
	z := gzip.NewWriter(w)
	if err := chrome.Export(z, t, window, lanes...); err != nil {
		return err
	}
	return z.Close()
}

// gapRow is a row of the table of idle gaps.
type gapRow struct {
	Device  int32  `parquet:"device"`
	StartNS int64  `parquet:"start_ns"`
	EndNS   int64  `parquet:"end_ns"`
	Cause   string `parquet:"cause"`
	Place   string `parquet:"place"`
	Next    string `parquet:"next"`
}

// pointRow is a row of the table of series: the value from a time on.
type pointRow struct {
	Series  string  `parquet:"series"`
	StartNS int64   `parquet:"start_ns"`
	Value   float64 `parquet:"value"`
}

func (d *exportData) writeTables(ctx context.Context, dir string, t *trace.Trace, window trace.Window, a analyze.Analysis) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot create the folder for the tables: %w", err)
	}
	var gaps []gapRow
	for _, gpu := range a.GPUs {
		for _, g := range gpu.LongestGaps {
			gaps = append(gaps, gapRow{gpu.Device, g.StartNS, g.EndNS, g.Cause, g.Place, g.Next})
		}
	}
	slices.SortFunc(gaps, func(x, y gapRow) int { return int(x.StartNS - y.StartNS) })
	var points []pointRow
	for _, s := range a.Series {
		for _, p := range s.Points {
			points = append(points, pointRow{s.Name, p.NS, p.Value})
		}
	}
	for name, write := range map[string]func(io.Writer) (int, error){
		"events.parquet": func(w io.Writer) (n int, err error) {
			return n, parquet.WriteTable(w, counted(table.Events(t, window), &n))
		},
		"kernels.parquet": func(w io.Writer) (n int, err error) {
			return n, parquet.WriteTable(w, counted(table.Kernels(t, window), &n))
		},
		"gaps.parquet": func(w io.Writer) (int, error) { return len(gaps), parquet.WriteTable(w, slices.Values(gaps)) },
		"series.parquet": func(w io.Writer) (int, error) {
			return len(points), parquet.WriteTable(w, slices.Values(points))
		},
	} {
		if err := d.write(ctx, filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	slices.SortFunc(d.Files, func(a, b exportedFile) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// counted passes rows on and counts them.
func counted[Row any](rows func(func(Row) bool), n *int) func(func(Row) bool) {
	return func(yield func(Row) bool) {
		for row := range rows {
			*n++
			if !yield(row) {
				return
			}
		}
	}
}

// write makes one file, whole or not at all.
func (d *exportData) write(ctx context.Context, path string, content func(io.Writer) (rows int, err error)) error {
	rows := 0
	size, err := streamWhole(ctx, path, func(w io.Writer) (err error) {
		b := bufio.NewWriterSize(w, 1<<20)
		if rows, err = content(b); err != nil {
			return err
		}
		return b.Flush()
	})
	d.Files = append(d.Files, exportedFile{path, size, rows})
	return err
}
