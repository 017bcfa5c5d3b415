package cli

import (
	"context"
	"fmt"
	"time"

	"saturate/internal/dataset"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/version"
)

// featureReport says what was made, then what was not and why.
func featureReport(env *Env, r dataset.Result, length time.Duration) report.Report {
	name := env.shown(r.Output)
	out := report.Report{Title: "Features", Data: melData{Result: &r}}
	out.Warnings = append(out.Warnings, r.Notes...)
	if r.Cut.Files > 0 {
		out.Warnings = append(out.Warnings, cutText(r.Cut, length))
	}
	if r.Existing {
		out.Summary = []string{fmt.Sprintf("%s is already complete. `saturate mel --check %s` compares it with its inputs.", name, name)}
		if n := len(r.Failed); n > 0 {
			out.Outcome = report.Found
			out.Summary = append(out.Summary, fmt.Sprintf("%s could not be used; the column error says why.",
				human.Plural(n, "file")))
		}
		return out
	}
	out.Summary = []string{fmt.Sprintf("%s: features %s from %s (%s of audio), %s.",
		name, dims(r.Shape), human.Plural(r.Files, "file"), human.Duration(r.AudioSeconds), human.Bytes(r.Bytes))}
	if made := r.Files - r.Resumed; made > 0 {
		out.Summary = append(out.Summary, fmt.Sprintf("%s files/s, %s× real time, read %s, wrote %s, on %s with %s.",
			human.Count(int(r.FilesPerS)), human.Count(int(r.AudioPerS)), human.Value(1e6*r.ReadPerS,
				"B/s"), human.Value(1e6*r.WrittenPerS, "B/s"), r.Device, human.Plural(r.Workers, "worker")))
	}
	if r.Resumed > 0 {
		out.Summary = append(out.Summary, fmt.Sprintf("An earlier run had finished %s.", human.Plural(r.Resumed, "file")))
	}
	if r.OddNames > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf(`%s not UTF-8; invalid bytes are recorded as \xNN`, human.Plural(r.OddNames, "name")+human.Choose(r.OddNames, " is", " are")))
	}
	if r.BadSamples > 0 {
		out.Warnings = append(out.Warnings,
			fmt.Sprintf("%s beyond ±1e16 and clipped to ±1e16; the column bad_samples counts them per row",
				human.Plural(int(r.BadSamples), "sample")+human.Choose(int(r.BadSamples), " was", " were")))
	}
	if n := len(r.Failed); n > 0 {
		out.Outcome, out.Tone = report.Found, report.Bad
		out.Summary = append(out.Summary, fmt.Sprintf("%s could not be used; %s lists %s.", human.Plural(n, "file"),
			env.shown(r.Quarantine), human.Choose(n, "it", "them")))
		table := &report.Table{Columns: []report.Column{{Name: "Row", Right: true}, {Name: "File"}, {Name: "Reason"}}}
		const shown = 10
		for _, f := range r.Failed[:min(shown, n)] {
			table.Rows = append(table.Rows, []string{human.Count(int(f.Row)), human.Clip(f.Path, 120), f.Reason})
		}
		if n > shown {
			table.Foot = fmt.Sprintf("and %s more", human.Count(n-shown))
		}
		out.Blocks = append(out.Blocks, report.Block{Heading: "Quarantined", Table: table})
	}
	return out
}

// cutText says what rows of a length have no room for.
func cutText(c dataset.Cut, length time.Duration) string {
	text := fmt.Sprintf("%s longer than %g s: ", human.Plural(c.Files, "file")+human.Choose(c.Files, " is", " are"),
		length.Seconds())
	switch {
	case c.Unknown == c.Files:
		text += "the rest is"
	case c.Unknown > 0:
		text += human.Duration(c.Seconds) + " and more are"
	default:
		text += human.Duration(c.Seconds) + " are"
	}
	return text + " cut (--segment keeps all)"
}

func dims(shape []int64) string {
	text := ""
	for i, n := range shape {
		if i > 0 {
			text += " × "
		}
		text += human.Count(int(n))
	}
	return text
}

func estimateReport(e dataset.Estimate, length time.Duration) report.Report {
	out := report.Report{Title: "Features", Data: melData{Estimate: &e}}
	out.Summary = []string{
		fmt.Sprintf("%s (about %s of audio) would give %s and take %s.", human.Plural(e.Files, "file"),
			human.Duration(e.AudioSeconds), human.Plural(int(e.Rows), "row"), human.Bytes(e.Bytes)),
		fmt.Sprintf("Estimated time: %s, if the disk keeps up (tried %s).", human.Duration(e.Seconds),
			human.Plural(e.Tried, "file")),
	}
	if e.FreeBytes >= 0 {
		out.Summary = append(out.Summary, fmt.Sprintf("Free disk space: %s.", human.Bytes(e.FreeBytes)))
		if e.Bytes > e.FreeBytes {
			out.Tone, out.Outcome = report.Bad, report.Found
			out.Summary = append(out.Summary, "That is not enough.")
		}
	}
	if e.Bad > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s of %s tried could not be used", human.Count(e.Bad),
			human.Plural(e.Tried, "file")))
	}
	if e.Cut.Files > 0 {
		out.Warnings = append(out.Warnings, "of the files tried, "+cutText(e.Cut, length))
	}
	return out
}

func checkReport(name string, c dataset.Checked) report.Report {
	out := report.Report{Title: "Features", Tone: report.Good, Data: melData{Checked: &c}}
	sentence := fmt.Sprintf("%s is correct: %s, %s valid; %s recomputed, %s bit-identical", name,
		human.Plural(int(c.Rows), "row"), human.Count(int(c.Valid)), human.Count(c.Tried), human.Count(c.Equal))
	if c.Rounded > 0 {
		sentence += fmt.Sprintf(", %s within rounding (computed on another device)", human.Count(c.Rounded))
	}
	out.Summary = []string{sentence + "."}
	if c.Skipped > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the inputs of %s are missing and could not be compared",
			human.Plural(c.Skipped, "row")))
	}
	if len(c.Problems) > 0 {
		out.Tone, out.Outcome = report.Bad, report.Found
		out.Summary = []string{fmt.Sprintf("%s does not match its inputs: %s.", name, human.Plural(len(c.Problems),
			"problem"))}
		table := &report.Table{Columns: []report.Column{{Name: "Row", Right: true}, {Name: "File"}, {Name: "Problem"}}}
		for _, p := range c.Problems[:min(20, len(c.Problems))] {
			row := human.Count(int(p.Row))
			if p.Row < 0 {
				row = ""
			}
			table.Rows = append(table.Rows, []string{row, p.Path, p.What})
		}
		out.Blocks = append(out.Blocks, report.Block{Heading: "Problems", Table: table})
	} else if c.Tried == 0 && c.Rows > 0 {
		out.Tone, out.Outcome = report.Unsure, report.Undecided
		out.Summary = []string{fmt.Sprintf("%s has the right structure, but its inputs are missing and could not be compared.", name)}
	}
	return out
}

// bounds says what to do about the stage that takes most of the time.
var bounds = map[string]string{
	"decode":  "Most of the time goes to reading and decoding: uncompressed files, a faster disk or more CPUs help.",
	"compute": "Most of the time goes to computing features: more CPUs or --device cuda help.",
	"write":   "Most of the time goes to writing: a faster disk, --layout ragged or a shorter --length help.",
	"begin":   "Most of the time goes to opening the output: there was little else to do.",
	"other":   "Most of the time goes to waiting: for earlier files in the order, or for other programs on this machine.",
}

// keepRun shows where the time went and writes a Run.
func keepRun(ctx context.Context, env *Env, out *report.Report, r dataset.Result, args []string) error {
	s := r.Stages
	total := s.Begin + s.Decode + s.Compute + s.Write + s.Other
	table := &report.Table{Columns: []report.Column{
		{Name: "Stage"},
		{Name: "Seconds", Right: true},
		{Name: "Share", Right: true},
		{Name: "ms/file", Right: true},
	}}
	for _, stage := range []struct {
		name string
		s    float64
	}{{"begin", s.Begin}, {"decode", s.Decode}, {"features", s.Compute}, {"write", s.Write}, {"other", s.Other}} {
		if stage.name == "begin" && stage.s < 0.005*total {
			continue // it is worth a row where there are many files, whose journal is read first
		}
		table.Rows = append(table.Rows, []string{
			stage.name, fmt.Sprintf("%.2f", stage.s), human.Percent(stage.s / max(total, 1e-9)), fmt.Sprintf("%.3f",
				1000*stage.s/float64(max(1, r.Files-r.Resumed))),
		})
	}
	table.Foot = fmt.Sprintf("Seconds are the sum over %s.", human.Plural(r.Workers, "worker"))
	out.Blocks = append([]report.Block{{Heading: "Where the time went", Table: table}, {Text: bounds[r.Bound]}},
		out.Blocks...)

	environment := run.Capture(ctx, env.Dir, env.Vars)
	environment.Versions = map[string]string{"saturate": version.Version, "device": r.Device}
	recorder, err := run.Create(env.path(env.Config.Get("runs").Value), "mel", run.Options{
		Command: append([]string{"saturate", "mel"}, args...), Environment: environment,
		Config: fmt.Appendf(nil, "%s %s %v", r.To, r.Layout, r.Shape),
	})
	if err != nil {
		return err
	}
	for i, step := range r.Steps {
		err := recorder.Step(run.Step{Index: i, Seconds: step.Seconds, Samples: float64(step.Files), Parts: []run.Part{
			{Name: "decode", Seconds: step.Decode}, {Name: "features", Seconds: step.Compute}, {
				Name:    "write",
				Seconds: step.Write,
			},
		}})
		if err != nil {
			return err
		}
	}
	kept, err := recorder.Finish(0)
	if err != nil {
		return err
	}
	data := out.Data.(melData)
	data.Run = env.shown(kept.Dir)
	out.Data = data
	out.Next = append(out.Next, "saturate compare BEFORE "+human.Shell(data.Run))
	return nil
}
