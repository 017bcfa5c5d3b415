package web

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"saturate/internal/probe"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// runRow is a Run in a list.
type runRow struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	State     run.State  `json:"state"`
	Started   time.Time  `json:"started"`
	WallS     float64    `json:"wall_s"`
	Command   []string   `json:"command"`
	Steps     int        `json:"steps"`
	StepS     run.Number `json:"step_s"`     // median steady step; 0 without any
	PerS      run.Number `json:"samples_s"`  // median
	DataShare run.Number `json:"data_share"` // of the mean step, waiting for data
	Commit    string     `json:"commit"`     //
	Dirty     bool       `json:"dirty"`      //
	GPU       string     `json:"gpu"`        //
	Host      string     `json:"host"`       //
	Traces    []string   `json:"traces"`     // ids
	Called    []string   `json:"called"`     // their names
	Parts     []run.Part `json:"parts"`      // of the mean steady step
	Tags      []string   `json:"tags"`       // that a person gave it
	Note      string     `json:"note"`       //
}

// knownRun is a row with what it was made from.
type knownRun struct {
	row     runRow
	changed time.Time
	size    int64
}

// index lists everything.
func (s *Server) index(w http.ResponseWriter, _ *http.Request) error {
	runs, err := s.library.runs()
	if err != nil {
		return err
	}
	traces := s.library.traces(runs)
	rows := []runRow{}
	for _, r := range runs {
		row := s.library.row(r)
		row.Traces, row.Called = []string{}, []string{}
		for _, t := range traces {
			if t.Run == r.ID {
				row.Traces, row.Called = append(row.Traces, t.ID), append(row.Called, t.Name)
			}
		}
		rows = append(rows, row)
	}
	if traces == nil {
		traces = []traceItem{}
	}
	answer(w, map[string]any{"version": s.library.opt.Version, "runs": rows, "traces": traces, "snapshots": append([]traceItem{}, s.library.snapshots()...)})
	return nil
}

// row sums a Run up. Steps are read again only when there are more.
func (l *Library) row(r run.Run) runRow {
	var changed time.Time
	var size int64
	for _, name := range []string{"run.json", "steps.jsonl", "labels.json"} {
		if info, err := os.Stat(filepath.Join(r.Dir, name)); err == nil {
			size += info.Size()
			if info.ModTime().After(changed) {
				changed = info.ModTime()
			}
		}
	}
	l.mu.Lock()
	known, ok := l.known[r.Dir]
	l.mu.Unlock()
	if ok && known.changed.Equal(changed) && known.size == size && known.row.State == r.State {
		return known.row
	}
	row := newRow(r)
	row.Tags, row.Note = append([]string{}, r.Tags...), r.Note
	l.mu.Lock()
	l.known[r.Dir] = knownRun{row, changed, size}
	l.mu.Unlock()
	return row
}

func newRow(r run.Run) runRow {
	row := runRow{
		ID: r.ID, Name: r.Name, State: r.State, Started: r.Started, WallS: r.WallSeconds, Command: r.Command,
		Host: r.Environment.Machine.Host, Parts: []run.Part{},
	}
	if g := r.Environment.Git; g != nil {
		row.Commit, row.Dirty = g.Commit[:min(len(g.Commit), 12)], g.Dirty
	}
	if len(r.Environment.GPUs) > 0 {
		row.GPU = r.Environment.GPUs[0].Name
	}
	full, err := run.Read(r.Dir)
	if err != nil {
		return row
	}
	row.Steps = len(full.Steps)
	others := full.OtherRanks()
	steady := run.Steady(run.Together(full.Steps, others))
	if len(steady.Steps) > 0 {
		row.StepS = run.Number(median(steady.StepTimes()))
		row.PerS = run.Number(median(steady.SamplesPerSecond()))
		row.Parts = append(row.Parts, run.MeanParts(steady.Steps)...)
		share := dataShare(row.Parts)
		for _, steps := range others { // the ranks wait for the one that waits most
			share = max(share, dataShare(run.MeanParts(run.Steady(steps).Steps)))
		}
		row.DataShare = run.Number(share)
	}
	return row
}

// dataShare is how much of a step is waiting for data.
func dataShare(parts []run.Part) float64 {
	var data, all float64
	for _, p := range parts {
		all += p.Seconds
		if p.Name == "data" {
			data += p.Seconds
		}
	}
	if all == 0 {
		return 0
	}
	return data / all
}

func median(s stat.Series) float64 {
	if len(s.Values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s.Values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// runPage is everything about one Run.
type runPage struct {
	Row    runRow      `json:"row"`
	Run    run.Run     `json:"run"`
	Steps  []run.Step  `json:"steps"`
	Steady []int       `json:"steady"` // indexes into steps of those that the speed is judged by
	Flame  *run.Flame  `json:"flame,omitempty"`
	Report report.Page `json:"report"`
	Note   string      `json:"note,omitempty"` // why there is no report
}

func (s *Server) oneRun(w http.ResponseWriter, r *http.Request) error {
	one, err := s.library.run(r.PathValue("id"))
	if err != nil {
		return err
	}
	page := runPage{Row: s.library.row(one), Run: one, Steps: one.Steps, Steady: []int{}}
	page.Row.Traces, page.Row.Called = []string{}, []string{}
	for _, t := range s.library.traces([]run.Run{one}) {
		if t.Run == one.ID {
			page.Row.Traces, page.Row.Called = append(page.Row.Traces, t.ID), append(page.Row.Called, t.Name)
		}
	}
	if page.Steps == nil {
		page.Steps = []run.Step{}
	}
	steady := map[int]bool{}
	for _, step := range run.Steady(one.Steps).Steps {
		steady[step.Index] = true
	}
	for i, step := range one.Steps {
		if steady[step.Index] {
			page.Steady = append(page.Steady, i)
		}
	}
	if kept := probe.ReadKept(one.Dir); kept.Flame.Seconds > 0 {
		page.Flame = &kept.Flame
	}
	shown, err := s.library.opt.Show([]run.Run{one})
	if err != nil {
		page.Note = err.Error()
	} else {
		page.Report = report.PageOf(shown)
	}
	answer(w, page)
	return nil
}

// comparison is Runs side by side.
type comparison struct {
	Rows        []runRow         `json:"rows"`
	Steps       [][]float64      `json:"steps"` // seconds of each Run's steady steps
	Differences []run.Difference `json:"differences"`
	Report      report.Page      `json:"report"`
}

// compare puts two Runs side by side, a=ID&b=ID, or more of them, run=ID&run=ID….
func (s *Server) compare(w http.ResponseWriter, r *http.Request) error {
	ids := strings.Split(r.URL.Query().Get("runs"), ",")
	if len(ids) < 2 || len(ids) > 16 {
		return errors.New("choose 2 to 16 runs")
	}
	c := comparison{Differences: []run.Difference{}, Rows: []runRow{}, Steps: [][]float64{}}
	var runs []run.Run
	for _, id := range ids {
		one, err := s.library.run(id)
		if err != nil {
			return err
		}
		runs = append(runs, one)
		c.Rows = append(c.Rows, s.library.row(one))
		c.Steps = append(c.Steps, append([]float64{}, run.Steady(one.Steps).StepTimes().Values...))
	}
	if a, b := strings.Join(runs[0].Command, " "), strings.Join(runs[len(runs)-1].Command, " "); a != b {
		c.Differences = append(c.Differences, run.Difference{What: "command", A: a, B: b})
	}
	c.Differences = append(c.Differences, run.DiffEnvironments(runs[0].Environment, runs[len(runs)-1].Environment)...)
	shown, err := report.Report{}, error(nil)
	if len(runs) == 2 {
		shown = s.library.opt.Compare(runs[0], runs[1])
	} else {
		shown, err = s.library.opt.Show(runs)
	}
	if err != nil {
		return err
	}
	c.Report = report.PageOf(shown)
	answer(w, c)
	return nil
}
