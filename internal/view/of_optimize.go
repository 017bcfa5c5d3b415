package view

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"saturate/internal/human"
	"saturate/internal/optimize"
	"saturate/internal/report"
	"saturate/internal/report/plot"
	"saturate/internal/verify"
)

// OptimizeData is what the JSON of the protocol holds.
type OptimizeData struct {
	optimize.Result
	Final *VerifyData `json:"final,omitempty"` // in the form that verify has
}

// OfOptimize shows what the protocol did: the answer, the ladder, the proof, what is left.
func OfOptimize(result optimize.Result, planOnly bool) report.Report {
	r := report.Report{Command: "optimize", Title: "Making `" + commandLine(result.Command) + "` faster", Warnings: result.Notes, Columns: 100}
	// Lists that are empty are lists still.
	result.Findings, result.Candidates, result.Ladder = orEmpty(result.Findings), orEmpty(result.Candidates), orEmpty(result.Ladder)
	data := OptimizeData{Result: result}
	var proof report.Report
	if result.Final != nil {
		proof = OfVerify(*result.Final, 0)
		final := proof.Data.(VerifyData)
		data.Final = &final
		r.Warnings = append(r.Warnings, proof.Warnings...)
	}
	r.Data = data
	optimizeAnswer(&r, result, planOnly)
	if planOnly {
		r.Blocks = append(r.Blocks, planTable(result))
	} else {
		optimizeFigures(&r, result)
		r.Blocks = append(r.Blocks, ladderBlocks(result)...)
	}
	if len(result.Prepare) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Before training, once", Code: strings.Join(result.Prepare, "\n")})
	}
	if result.Diff != "" {
		r.Blocks = append(r.Blocks, report.Block{Heading: "The patch", Code: result.Diff, Detail: true})
	}
	r.Blocks = append(r.Blocks, leftBlocks(result)...)
	for _, b := range proof.Blocks {
		b.Detail = true
		r.Blocks = append(r.Blocks, b)
	}
	if f := result.Final; f != nil && f.Verdict == verify.Faster && result.Patch != "" {
		r.Next = append(r.Next, applied(result))
	}
	return r
}

func optimizeAnswer(r *report.Report, result optimize.Result, planOnly bool) {
	b := result.Baseline
	switch final := result.Final; {
	case planOnly:
		r.Summary = []string{asSentence(b.Sentence), human.Plural(len(result.Candidates), "repair") + " would be tried, the most promising first; nothing was changed."}
	case result.Unfinished != "":
		r.Summary, r.Tone, r.Outcome = []string{"Not finished: " + result.Unfinished + "."}, report.Unsure, report.Undecided
	case final == nil && len(result.Ladder) == 0:
		r.Summary, r.Tone, r.Outcome = []string{"There is nothing here that a program could repair on this machine.", asSentence(b.Sentence)}, report.Neutral, report.Undecided
	case final == nil:
		r.Summary, r.Tone, r.Outcome = []string{"No repair made the program faster.", asSentence(b.Sentence)}, report.Neutral, report.Undecided
	default:
		answer := string(final.Verdict)
		if final.Ratio.Finite() && final.Ratio > 0 {
			answer += ": " + speedText(*final)
		}
		r.Summary = []string{answer + ".", fmt.Sprintf("Accuracy %s: %s.", final.Guard.State, final.Guard.Reason)}
		if final.Verdict != verify.Faster {
			r.Summary = append(r.Summary, asSentence(strings.ReplaceAll(final.Reason, "raise --threshold", "ask for more --pairs"))) // what verify would advise
		}
		verdictTone(r, *final)
	}
	if planOnly || len(result.Ladder) == 0 {
		return
	}
	page := filepath.Join(result.State, "report.html")
	answer := "Your files are as they were; the report is " + page + "."
	if result.Final != nil && result.Patch != "" {
		answer = "Your files are as they were; the patch is " + result.Patch + ", the report " + page + "."
	}
	so := ""
	if result.Unfinished != "" {
		so = " so far"
	}
	tried := 0
	for _, rung := range result.Ladder {
		if rung.Decision != optimize.NotNeeded {
			tried++
		}
	}
	r.Summary = append(r.Summary, fmt.Sprintf("%s%s, of %d that were tried. %s", human.Plural(kept(result), "repair was kept", "repairs were kept"), so, tried, answer))
}

// speedText is how much faster the program became. The ratio is that of the pairs, each of which saw the same weather, and need not be
// that of the medians; so both are called what they are.
func speedText(v verify.Result) string {
	text := human.Times(1/float64(v.Ratio)) + " as fast, pair by pair ("
	if i := v.Interval; i.Lo.Finite() && i.Hi.Finite() && i.Lo > 0 {
		text += fmt.Sprintf("%s to %s, ", human.Times(1/float64(i.Hi)), human.Times(1/float64(i.Lo)))
	}
	text += fmt.Sprintf("%s, p = %.2g)", human.Plural(v.Pairs, "pair"), v.P)
	before, after := v.Sides[verify.Before].Median, v.Sides[verify.After].Median
	if before.Finite() && after.Finite() {
		text += fmt.Sprintf("; the median run went from %s/it to %s/it", human.Seconds(float64(before)), human.Seconds(float64(after)))
	}
	return text
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// asSentence begins large and ends with a full stop.
func asSentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".") + "."
}

// applied is the command that makes the change in the user's project, from where the user is.
func applied(result optimize.Result) string {
	if result.Dir == "" || result.Dir == "." {
		return "git apply " + result.Patch
	}
	path := result.Patch
	if relative, err := filepath.Rel(result.Dir, path); err == nil {
		path = relative // git works in the project's folder
	}
	return "git -C " + result.Dir + " apply " + filepath.ToSlash(path)
}

// commandLine is how a person would name what ran: without the way to the interpreter, and not without end.
func commandLine(command []string) string {
	if len(command) == 0 {
		return ""
	}
	return human.Clip(strings.Join(append([]string{filepath.Base(command[0])}, command[1:]...), " "), 60)
}

func kept(result optimize.Result) int {
	n := 0
	for _, rung := range result.Ladder {
		if rung.Decision == optimize.Kept {
			n++
		}
	}
	return n
}

func optimizeFigures(r *report.Report, result optimize.Result) {
	if result.Final == nil {
		r.Figures = []report.Figure{{Name: "time per step", Value: human.Seconds(result.Baseline.SecondsPerStep), Note: "as it is"}}
		return
	}
	before, after := result.Final.Sides[verify.Before], result.Final.Sides[verify.After]
	r.Figures = []report.Figure{{Name: "time per step", Value: human.Seconds(float64(after.Median)), Note: "was " + human.Seconds(float64(before.Median)) + ofRuns}}
	if after.Speed.Finite() && after.Speed > 0 {
		r.Figures = append(r.Figures, report.Figure{Name: "samples per second", Value: human.Value(float64(after.Speed), ""), Note: "was " + human.Value(float64(before.Speed), "")})
	}
	if result.After != nil {
		r.Figures = append(r.Figures, report.Figure{Name: "waiting for data", Value: human.Percent(result.After.Shares.Data), Note: "was " + human.Percent(result.Baseline.Shares.Data)})
	}
}

func planTable(result optimize.Result) report.Block {
	t := &report.Table{Columns: []report.Column{{Name: "#", Right: true}, {Name: "repair"}, {Name: "where"}, {Name: "safety"}, {Name: "may save", Right: true}, {Name: "because"}}}
	for i, c := range result.Candidates {
		t.Rows = append(t.Rows, []string{human.Count(i + 1), repairName(c), places(c), string(c.Safety), human.Percent(c.Saves), c.Reason})
	}
	return report.Block{Heading: "Plan", Table: t}
}

func repairName(c optimize.Candidate) string {
	name := c.ID + ": " + c.Title
	if !slices.Contains(c.Codes, strings.SplitN(c.ID, "/", 2)[0]) {
		name += " (" + strings.Join(c.Codes, ", ") + ")"
	}
	return name
}

func places(c optimize.Candidate) string {
	const shown = 2
	text := strings.Join(c.Places[:min(shown, len(c.Places))], ", ")
	if more := len(c.Places) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// ladderBlocks show each rung, with what it brought beside the best program before it.
func ladderBlocks(result optimize.Result) []report.Block {
	if len(result.Ladder) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{{Name: "repair"}, {Name: "decision"}, {Name: "before", Right: true}, {Name: "after", Right: true}, {Name: "speed", Right: true}, {Name: "accuracy"}, {Name: "because"}}}
	// Rows were measured at different times, so the picture chains their ratios.
	at := result.Baseline.SecondsPerStep
	if f := result.Final; f != nil && f.Sides[verify.Before].Median.Finite() {
		at = float64(f.Sides[verify.Before].Median)
	}
	steps := plot.Waterfall{Heading: "The ladder", Axis: "time per step", Unit: "s", From: "as it was", To: "by the ladder", Start: at}
	for _, rung := range result.Ladder {
		name := rung.ID
		if rung.Pass > 1 {
			name += " again"
		}
		title, _, _ := strings.Cut(rung.Title, ";") // what stands behind is for those who decide
		row := []string{name + ": " + title, string(rung.Decision), human.Missing, human.Missing, human.Missing, orNone(rung.Guard), human.Clip(rung.Because, longestReason)}
		if rung.Before.Finite() && rung.After.Finite() && rung.Pairs > 0 {
			u := human.NewScale("s", float64(rung.Before), float64(rung.After))
			row[2], row[3], row[4] = u.Value(float64(rung.Before)), u.Value(float64(rung.After)), human.Times(1/float64(rung.Ratio))
			kept := rung.Decision == optimize.Kept || rung.Decision == optimize.Superseded // the next one was measured beside it
			delta := at * (float64(rung.Ratio) - 1)
			steps.Changes = append(steps.Changes, plot.Change{Name: name, Delta: delta, Note: string(rung.Decision), Dropped: !kept})
			if kept {
				at += delta
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Foot = "Each repair is measured beside the best program before it. Before and after are medians of the runs, speed is compared pair by pair. " +
		"Rows were measured at different times, so the picture multiplies their speeds. Only the proof compares the first with the last."
	blocks := []report.Block{{Heading: "Ladder", Table: t}}
	if len(steps.Changes) > 0 {
		blocks = append(blocks, report.Block{Plot: steps})
	}
	return blocks
}

// longestReason is how much of a reason a table shows; the JSON has the rest.
const longestReason = 240

// leftBlocks say what could still be gained, and what only a person can do.
func leftBlocks(result optimize.Result) []report.Block {
	var blocks []report.Block
	if a := result.After; a != nil {
		blocks = append(blocks, report.Block{Heading: "What is left", Text: asSentence(a.Sentence)})
	}
	if len(result.Elsewhere) > 0 {
		t := &report.Table{Columns: []report.Column{{Name: "repair"}, {Name: "where"}, {Name: "safety"}, {Name: "because"}}}
		for _, c := range result.Elsewhere {
			t.Rows = append(t.Rows, []string{repairName(c), places(c), string(c.Safety), c.Reason})
		}
		t.Foot = "This program used no GPU here. Run the same command where it trains on one."
		blocks = append(blocks, report.Block{Heading: "Not tried here", Table: t})
	}
	if len(result.ByHand) == 0 {
		return blocks
	}
	t := &report.Table{Columns: []report.Column{{Name: "finding"}, {Name: "where"}, {Name: "why it is left"}, {Name: "what to do"}}}
	for _, h := range result.ByHand {
		where := human.Missing
		if w := h.Finding.Where; w != nil {
			where = fmt.Sprintf("%s:%d", w.Path, w.Line)
		}
		t.Rows = append(t.Rows, []string{h.Finding.Code + ": " + h.Finding.Message, where, h.Reason, strings.Join(h.Advice, " ")})
	}
	return append(blocks, report.Block{Heading: "For a person to do", Table: t})
}
