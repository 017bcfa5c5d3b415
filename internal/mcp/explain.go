package mcp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/analyze"
	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/view"
)

type explainInput struct {
	Rule  string `json:"rule,omitempty" jsonschema:"code or name of a rule"`
	Where string `json:"where,omitempty" jsonschema:"a finding of scan, as path:line"`
	Run   string `json:"run,omitempty" jsonschema:"the Run whose trace has the gap"`
	Trace string `json:"trace,omitempty" jsonschema:"the trace file that has the gap"`
	Gap   int    `json:"gap,omitempty" jsonschema:"number of a gap that analyze listed, from 1"`
}

func answerExplain(ctx context.Context, c *call, in explainInput) (Answer, error) {
	switch {
	case in.Where != "":
		return c.explainFinding(ctx, in)
	case in.Gap != 0 || in.Run != "" || in.Trace != "":
		return c.explainGap(ctx, in)
	case in.Rule != "":
		return c.explainRule(ctx, in.Rule)
	}
	return Answer{}, refused("name a rule (`rule`), a finding (`where`: path:line) or a gap (`run` and `gap`)")
}

func (c *call) explainRule(ctx context.Context, name string) (Answer, error) {
	args, err := withRules(nil, "", []string{name})
	if err != nil {
		return Answer{}, err
	}
	r, a, err := c.command(ctx, "rule", strings.TrimPrefix(args[0], "="))
	if err != nil {
		return a, err
	}
	data, ok := r.Data.(view.RuleData)
	if !ok || len(data.Rules) == 0 {
		return a, fmt.Errorf("the rule has no page")
	}
	page := data.Rules[0]
	a.Summary, a.Figures = []string{page.Title}, nil
	a.Detail = &Detail{Code: page.Code, Name: page.Name, Message: page.What, Why: page.Why, Advice: page.Advice}
	if page.Safety != "" {
		a.Detail.Fixes = []string{page.Safety}
		if page.AtWorst != "" {
			a.Detail.Fixes = append(a.Detail.Fixes, page.AtWorst+" at some places")
		}
	}
	if page.GainHigh > 0 {
		a.Detail.Evidence = []string{fmt.Sprintf("%.3g–%.3g× faster: %s", page.GainLow, page.GainHigh, page.Source)}
	}
	a.Links = []string{"rule://" + page.Code}
	a.NextStep = NextStep{
		Tool: "scan", Arguments: map[string]any{"rules": []string{page.Code}},
		Why: "See where the project has it.",
	}
	if page.Reads == "source" && page.Safety != "" {
		a.NextStep = NextStep{
			Tool: "propose", Arguments: map[string]any{"rules": []string{page.Code}},
			Why: "A fix is known: get the patch, then verify it.",
		}
	}
	return a, nil
}

// explainFinding scans the file again: a finding is named by its place, which needs no memory of an earlier scan.
func (c *call) explainFinding(ctx context.Context, in explainInput) (Answer, error) {
	at := strings.LastIndexByte(in.Where, ':')
	line, err := strconv.Atoi(in.Where[at+1:])
	if at <= 0 || err != nil {
		return Answer{}, refused("`where` is path:line, as scan gives it")
	}
	path, err := c.server.roots.path(in.Where[:at])
	if err != nil {
		return Answer{}, err
	}
	r, a, err := c.command(ctx, "scan", path, "--project="+c.server.roots[0].dir)
	if err != nil {
		return a, err
	}
	i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool {
		return f.Where != nil && f.Where.Line == line && (in.Rule == "" || strings.EqualFold(in.Rule, f.Code) ||
			in.Rule == f.Name)
	})
	a.Warnings = nil
	if i < 0 {
		return a, fmt.Errorf("no finding at line %d of that file; scan lists them", line)
	}
	f := r.Findings[i]
	a.Status, a.Summary = Found, []string{f.Message}
	a.Detail = &Detail{
		Code: f.Code, Name: f.Name, Message: f.Message, Why: f.Why, Advice: f.Advice,
		Source: f.Where.Excerpt,
	}
	for _, e := range f.Evidence {
		text := e.Text
		if e.Location != nil {
			text += " (" + e.Location.Short() + ")"
		}
		a.Detail.Evidence = append(a.Detail.Evidence, text)
	}
	if f.Estimate != nil {
		a.Detail.Evidence = append(a.Detail.Evidence, gainOf(*f.Estimate))
	}
	for _, p := range f.Fixes {
		a.Detail.Fixes = append(a.Detail.Fixes, string(p.Safety)+": "+p.Title)
	}
	a.Links = []string{"rule://" + f.Code}
	a.NextStep = NextStep{Tool: "verify", Why: "No automatic fix: edit it yourself as `advice` says, and verify your diff."}
	if len(f.Fixes) > 0 {
		a.NextStep = NextStep{
			Tool: "propose", Arguments: map[string]any{"rules": []string{f.Code}},
			Why: "A fix is known: get the patch, then verify it.",
		}
	}
	return a, nil
}

func (c *call) explainGap(ctx context.Context, in explainInput) (Answer, error) {
	source, err := c.traceOf(in.Run, in.Trace)
	if err != nil {
		return Answer{}, err
	}
	r, a, err := c.command(ctx, "analyze", source.path, "--top=50")
	if err != nil {
		return a, err
	}
	data, ok := r.Data.(analyze.Analysis)
	if !ok || data.MainGPU() == nil {
		return a, fmt.Errorf("the trace has no GPU activity, so it has no gaps")
	}
	gaps := gapsOf(data)
	if in.Gap < 1 || in.Gap > len(gaps) {
		return a, fmt.Errorf("gap %d is not listed; analyze lists %s", in.Gap, human.Plural(len(gaps), "gap"))
	}
	g := gaps[in.Gap-1]
	a.Summary, a.Gaps, a.Warnings = []string{fmt.Sprintf("Gap %d: the GPU is idle for %s. Cause: %s.", g.Number,
		human.Seconds(g.MS/1e3), g.Cause)}, []Gap{g}, nil
	for _, cause := range data.MainGPU().IdleByCause {
		if cause.Cause == g.Cause && data.MainGPU().Span.SpanNS > 0 {
			a.Summary = append(a.Summary, fmt.Sprintf("All gaps of this cause take %s of the trace.",
				human.Percent(float64(cause.NS)/float64(data.MainGPU().Span.SpanNS))))
		}
	}
	if link := source.windowLink(g.Number); link != "" {
		a.Links = append(a.Links, link)
	}
	a.NextStep = NextStep{
		Tool: "analyze", Arguments: source.arguments(),
		Why: "The predictions say which fix would close such gaps.",
	}
	return a, nil
}
