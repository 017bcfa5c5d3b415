package offline

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/project"
	"saturate/internal/pysrc"
	"saturate/internal/rule"
	"saturate/internal/run"
)

// samePerEpoch is what a run shows and no rule of the source: it was seen to cost, and it draws nothing.
var samePerEpoch = finding.Rule{
	Code: "PRF110", Name: "same-work-every-epoch", Severity: finding.Warning, Subject: finding.Loading,
	Areas:  []finding.Area{finding.DataArea, finding.WorkersArea},
	Title:  "every epoch repeats the same costly work on each sample",
	Why:    "Whatever comes before the first random draw has the same result in every epoch, so it is enough to do it once.",
	Advice: "Do it once, before training, and load the result: saturate optimize makes that change.",
	Cures:  []string{"feature-recompute", "resample-every-epoch", "image-shrunk-every-epoch", "tokenize-per-sample"},
}

func init() { finding.Register(finding.Run, samePerEpoch) }

// Measured is the rule of what a run shows to be worth keeping.
func Measured() rule.Rule {
	return rule.Rule{Code: samePerEpoch.Code, Name: samePerEpoch.Name, Areas: samePerEpoch.Areas}
}

// What is worth caching: a function that takes so much of the time for data, including what it calls.
const (
	ownWorth   = 0.10
	wholeWorth = 0.20
)

// measured finds what to keep by what a run spent its time on, where no rule did: for each function of the project that
// making samples spends much time in, the outermost call that leads there and draws nothing.
func (w *work) measured(costs []run.Function, cuts []*cut) (list []*cut, refused []Refusal) {
	costs = slices.DeleteFunc(slices.Clone(costs), func(f run.Function) bool {
		return f.Inside != "data" || f.Own < ownWorth && f.Share < wholeWorth
	})
	slices.SortStableFunc(costs, func(a, b run.Function) int { return cmp.Compare(b.Own, a.Own) })
	for _, cost := range costs {
		fn := w.function(cost)
		if fn == nil || fn.Def == nil {
			continue
		}
		statement := statementAt(fn, cost.Line)
		if statement == nil {
			continue
		}
		taken := func(c *cut) bool { return w.covers(c, fn, statement) }
		if slices.ContainsFunc(cuts, taken) || slices.ContainsFunc(list, taken) {
			continue
		}
		f := samePerEpoch.Finding()
		where := location(fn.Module, statement)
		f.Where, f.Confidence = &where, 0.9
		f.Message = fmt.Sprintf("%s takes %s of the time to make samples", fn.Title(), human.Percent(cost.Share))
		c, reason := w.cutCost(f, fn, statement, slices.Concat(cuts, list))
		if reason != "" {
			if len(list) == 0 && len(refused) == 0 && cost.Own >= wholeWorth {
				f.Advice = ""
				refused = append(refused, Refusal{Finding: f, Reason: reason})
			}
			continue
		}
		if !slices.ContainsFunc(slices.Concat(cuts, list), func(o *cut) bool { return o.module() == c.module() && overlap(o.span(), c.span()) }) {
			list = append(list, c)
		}
	}
	return list, refused
}

// function is the function of the project that a run names.
func (w *work) function(cost run.Function) *project.Function {
	for _, m := range w.project.Modules {
		if m.Notebook || m.Encoded || w.typed(m.Path) != filepath.ToSlash(cost.Path) {
			continue
		}
		for _, f := range m.Functions {
			if f.Name == cost.Function {
				return f
			}
		}
	}
	return nil
}

// saved is how much of the time to make samples goes into what is kept.
func (w *work) saved(cuts []*cut, costs []run.Function) (share float64) {
	for _, cost := range costs {
		if fn := w.function(cost); fn != nil && fn.Def != nil && cost.Inside == "data" {
			statement := statementAt(fn, cost.Line)
			if statement != nil && slices.ContainsFunc(cuts, func(c *cut) bool { return w.covers(c, fn, statement) }) {
				share += cost.Own
			}
		}
	}
	return share
}

// statementAt is the statement of a function at a line, or nil where that is outside it.
func statementAt(fn *project.Function, line int) pysrc.Stmt {
	at := lineStart(fn.Module, line)
	if body := fn.Def.Body; at < body[0].Bounds().Start || at >= body[len(body)-1].Bounds().End {
		return nil
	}
	return fn.Module.StatementAt(at)
}

// lineStart is where the first word of a line begins.
func lineStart(m *project.Module, line int) int32 {
	at := 0
	for ; line > 1; line-- {
		next := bytes.IndexByte(m.Text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	for at < len(m.Text) && (m.Text[at] == ' ' || m.Text[at] == '\t') {
		at++
	}
	return int32(at)
}

// covers reports whether a cut does away with the work of a statement of a function.
func (w *work) covers(c *cut, fn *project.Function, statement pysrc.Stmt) bool {
	return slices.Contains(c.funcs, fn) || c.module() == fn.Module && overlap(c.span(), statement.Bounds())
}

// cutCost is the cut that does away with a statement of a function: the outermost call that leads to the function, or
// else the statement itself with those around it.
func (w *work) cutCost(f finding.Finding, fn *project.Function, statement pysrc.Stmt, others []*cut) (*cut, string) {
	path, ok := w.project.PerSample(fn.Module, statement)
	switch {
	case !ok:
		return nil, "it is not known to run for every sample"
	case path.Cache != nil || path.Kind == project.Mapped:
		return nil, "its result is already cached"
	}
	way := &way{finding: f, kind: prepared, root: path.Kind}
	for _, s := range path.Calls {
		way.levels = append(way.levels, level{s.Func, s})
	}
	reason := ""
	if len(way.levels) > 0 {
		var c *cut
		if c, reason = w.cut(way); c != nil && reason == "" {
			if object := w.mayDraw(c); object == "" {
				w.widen(c, others)
				return c, ""
			} else {
				reason = unknownDraw(object)
			}
		}
	}
	way.levels = append(way.levels, level{fn: fn})
	c, why := w.cutStatement(way, fn, statement)
	if c == nil {
		return nil, cmp.Or(why, reason)
	}
	w.widen(c, others)
	return c, ""
}

func unknownDraw(object string) string {
	return fmt.Sprintf("it is not known whether %s draws random numbers", object)
}

// cutStatement keeps what a statement leaves behind.
func (w *work) cutStatement(way *way, fn *project.Function, statement pysrc.Stmt) (*cut, string) {
	lists := blocksAround(fn, statement.Bounds().Start)
	list := lists[len(lists)-1]
	at := slices.IndexFunc(list, func(s pysrc.Stmt) bool {
		return s.Bounds().Start <= statement.Bounds().Start && statement.Bounds().End <= s.Bounds().End
	})
	if at < 0 {
		return nil, fmt.Sprintf("%s does not produce a value", short(fn.Module, statement))
	}
	r := &region{list: list, first: at, last: at}
	if !w.grow(fn, r) {
		return nil, fmt.Sprintf("%s does not produce a value", short(fn.Module, statement))
	}
	r.settle(fn)
	c := &cut{kind: prepared, way: way, findings: []finding.Finding{way.finding}, fn: fn, region: r}
	byPlace, reason := w.complete(c, len(way.levels)-1, nil)
	if reason == "" && byPlace {
		reason = "what it works on is known only by its place in a list"
	}
	if reason == "" {
		if object := w.mayDraw(c); object != "" {
			reason = unknownDraw(object)
		}
	}
	if reason != "" {
		return nil, reason
	}
	return c, ""
}
