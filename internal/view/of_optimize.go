package view

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

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
	r := report.Report{
		Command: "optimize", Title: "Making `" + commandLine(result.Command) + "` faster",
		Warnings: result.Notes, Columns: 100,
	}
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
	if prepare := prepareBlock(result); prepare.Code != "" {
		r.Blocks = append(r.Blocks, prepare)
	}
	if len(result.RunWith) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Train with this command", Code: strings.Join(result.RunWith, " ")})
	}
	r.Blocks = append(r.Blocks, pieceBlocks(result)...)
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
	where := asSentence(result.Baseline.Sentence)
	switch final := result.Final; {
	case planOnly:
		r.Summary = []string{where, human.Plural(len(result.Candidates), "fix", "fixes") +
			" to try, the most promising first. Nothing was changed."}
		return
	case result.Unfinished != "":
		r.Summary, r.Tone, r.Outcome = []string{"Not finished: " + result.Unfinished + "."}, report.Unsure, report.Undecided
	case final == nil:
		r.Summary, r.Tone, r.Outcome = []string{"No fix made the program faster.", where}, report.Neutral, report.Undecided
		if len(result.Ladder) == 0 {
			r.Summary[0] = "Nothing here can be fixed automatically on this machine."
		}
	default:
		r.Summary = verdictLines(*final)
		for i, line := range r.Summary { // optimize has no threshold to raise
			r.Summary[i] = strings.ReplaceAll(line, "raise --threshold", "ask for more --pairs")
		}
		verdictTone(r, *final)
	}
	if len(result.Ladder) == 0 {
		return
	}
	tried, so := 0, ""
	for _, rung := range result.Ladder {
		if rung.Decision != optimize.NotNeeded {
			tried++
		}
	}
	if result.Unfinished != "" {
		so = " so far"
	}
	files := "Report: " + filepath.Join(result.State, "report.html")
	if result.Final != nil && result.Patch != "" {
		files = "Patch: " + result.Patch + "; r" + files[1:]
		if result.Final.Verdict == verify.Faster {
			files += "; image to share: " + filepath.Join(result.State, "card.svg")
		}
	}
	if end := result.End.Text; end != "" && result.Unfinished == "" {
		if result.End.Reason == optimize.EndBudget {
			end = "the time for trying fixes is used up; fixes that were not tried are listed below"
		}
		r.Summary = append(r.Summary, "Done: "+end+".")
	}
	outcome := fmt.Sprintf("Kept %d of %s%s.", kept(result), human.Plural(tried, "fix", "fixes"), so)
	if tried == 0 {
		outcome = "No fix was worth trying."
	}
	r.Summary = append(r.Summary, outcome+" Your files are unchanged.", files)
	if result.Forked > 0 && result.Final != nil {
		r.Summary = append(r.Summary, fmt.Sprintf("To save time, fixes were tried in processes forked from one that had imported the libraries (%s); "+
			"the proof started new ones.", human.Plural(result.Forked, "run")))
	}
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// prepareBlock is what to run before the patched program is trained, and where.
func prepareBlock(result optimize.Result) report.Block {
	lines := result.Prepare
	if strings.Contains(result.Diff, "\n+from saturate_gpu") || strings.Contains(result.Diff, "\n+import saturate_gpu") {
		lines = append([]string{"pip install saturate-gpu  # the patched program imports it"}, lines...)
	}
	b := report.Block{Heading: "Run once, after the patch is applied and before training", Code: strings.Join(lines, "\n")}
	if result.Dir != "" && result.Dir != "." {
		b.Heading += ", in " + human.Clean(result.Dir)
	}
	return b
}

// applied is the command that makes the change in the user's project, from where the user is.
func applied(result optimize.Result) string {
	if result.Dir == "" || result.Dir == "." {
		return "git apply " + human.Shell(result.Patch)
	}
	path := result.Patch
	if relative, err := filepath.Rel(result.Dir, path); err == nil {
		path = relative // git works in the project's folder
	}
	return "git -C " + human.Shell(result.Dir) + " apply " + human.Shell(filepath.ToSlash(path))
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
		r.Figures = []report.Figure{{
			Name: "time per step", Value: human.Seconds(result.Baseline.SecondsPerStep),
			Note: "before any fix",
		}}
		return
	}
	before, after := result.Final.Sides[verify.Before], result.Final.Sides[verify.After]
	r.Figures = []report.Figure{{
		Name: "time per step", Value: human.Seconds(float64(after.Median)),
		Note: "was " + human.Seconds(float64(before.Median)) + ofRuns,
	}}
	if after.Speed.Finite() && after.Speed > 0 {
		r.Figures = append(r.Figures, report.Figure{
			Name: "samples per second", Value: human.Value(float64(after.Speed), ""),
			Note: "was " + human.Value(float64(before.Speed), ""),
		})
	}
	if result.After != nil {
		r.Figures = append(r.Figures, report.Figure{
			Name: "waiting for data", Value: human.Percent(result.After.Shares.Data),
			Note: "was " + human.Percent(result.Baseline.Shares.Data),
		})
	}
}

func planTable(result optimize.Result) report.Block {
	t := &report.Table{Columns: []report.Column{
		{Name: "#", Right: true},
		{Name: "fix"},
		{Name: "where"},
		{Name: "safety"},
		{Name: "may save", Right: true},
		{Name: "because"},
	}}
	for i, c := range result.Candidates {
		t.Rows = append(t.Rows, []string{
			human.Count(i + 1), repairName(c), places(c), string(c.Safety),
			human.Percent(c.Saves), c.Reason,
		})
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
	t := &report.Table{Columns: []report.Column{
		{Name: "fix"},
		{Name: "decision"},
		{Name: "before", Right: true},
		{Name: "after", Right: true},
		{Name: "predicted", Right: true},
		{
			Name:  "speed",
			Right: true,
		},
		{Name: "loss"},
		{Name: "because"},
	}}
	// Rows were measured at different times, so the picture chains their ratios.
	at := result.Baseline.SecondsPerStep
	if f := result.Final; f != nil && f.Sides[verify.Before].Median.Finite() {
		at = float64(f.Sides[verify.Before].Median)
	}
	steps := plot.Waterfall{
		Heading: "What each fix saves", Axis: "time per step", Unit: "s", From: "before", To: "after",
		Start: at,
	}
	for _, rung := range result.Ladder {
		name := rung.ID
		if rung.Pass > 1 {
			name += " again"
		}
		title, _, _ := strings.Cut(rung.Title, ";") // what stands behind is for those who decide
		row := []string{
			name + ": " + title, string(rung.Decision), human.Missing, human.Missing, human.Missing,
			human.Missing, lossWord(rung.Guard), human.Clip(rung.Because, longestReason),
		}
		if rung.Before.Finite() && rung.After.Finite() && rung.Pairs > 0 {
			u := human.NewScale("s", float64(rung.Before), float64(rung.After))
			row[2], row[3], row[5] = u.Value(float64(rung.Before)), u.Value(float64(rung.After)), human.Times(1/float64(rung.Ratio))
			if rung.Predicted != nil {
				row[4] = u.Value(rung.Predicted.Seconds)
			}
			kept := rung.Decision == optimize.Kept || rung.Decision == optimize.Superseded // the next one was measured beside it
			delta := at * (float64(rung.Ratio) - 1)
			steps.Changes = append(steps.Changes, plot.Change{
				Name: name, Delta: delta, Note: string(rung.Decision),
				Dropped: !kept,
			})
			if kept {
				at += delta
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if !slices.ContainsFunc(result.Ladder, func(r optimize.Rung) bool { return r.Predicted != nil }) {
		t.Columns = slices.Delete(t.Columns, 4, 5) // without a trace nothing is predicted
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], 4, 5)
		}
	}
	t.Foot = "Each fix is measured against the best program before it. Before and after are medians of the runs; speed " +
		"is compared pair by pair. The chart multiplies these speeds; only the final proof compares the first program " +
		"with the last."
	if told := result.Foretold(); len(told) > 0 {
		t.Foot += fmt.Sprintf(" Predictions from the trace were off by %s (median of %s); %s in the state folder has each.",
			human.Percent(optimize.MedianError(told)), human.Plural(len(told), "fix", "fixes"), optimize.PredictionsFile)
	}
	blocks := []report.Block{{Heading: "Fixes tried", Table: t}}
	if len(steps.Changes) > 0 {
		blocks = append(blocks, report.Block{Plot: steps})
	}
	if stack := movedBottleneck(result); len(stack.Bars) > 1 {
		blocks = append(blocks, report.Block{Plot: stack})
	}
	return blocks
}

// lossWord is what the guard says of a rung, in a table.
func lossWord(state string) string {
	words := map[verify.GuardState]string{
		verify.Passed: "ok", verify.Failed: "changed", verify.NotShown: "not proven", verify.NotChecked: "not checked",
	}
	return orNone(words[verify.GuardState(state)])
}

// longestReason is how much of a reason a table shows; the JSON has the rest.
const longestReason = 160

// leftBlocks say what could still be gained, and what only a person can do.
func leftBlocks(result optimize.Result) []report.Block {
	var blocks []report.Block
	if a := result.After; a != nil {
		blocks = append(blocks, report.Block{Heading: "Where the time goes now", Text: "In one run of the fixed program, separate from the proof: " + asSentence(a.Sentence)})
	}
	if len(result.Elsewhere) > 0 {
		t := &report.Table{Columns: []report.Column{{Name: "fix"}, {Name: "where"}, {Name: "safety"}, {Name: "because"}}}
		for _, c := range result.Elsewhere {
			t.Rows = append(t.Rows, []string{repairName(c), places(c), string(c.Safety), c.Reason})
		}
		t.Foot = "This program used no GPU here. Run the same command on a machine with the GPU it trains on."
		blocks = append(blocks, report.Block{Heading: "Not tried here", Table: t})
	}
	if g := result.Grown; g != nil {
		text := g.Text + "."
		if g.Patch != "" {
			text += " Its patch, on top of the other: " + g.Patch
		}
		blocks = append(blocks, report.Block{Heading: "A larger batch", Text: text})
		if len(g.Notes) > 0 {
			t := &report.Table{Columns: []report.Column{{Name: "what changes with it"}}}
			for _, note := range g.Notes {
				t.Rows = append(t.Rows, []string{note})
			}
			blocks = append(blocks, report.Block{Table: t})
		}
	}
	return append(blocks, leftForYou(result)...)
}
