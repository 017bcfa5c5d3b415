package mcp

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"saturate/internal/analyze"
)

type analyzeInput struct {
	Run        string  `json:"run,omitempty" jsonschema:"Run whose trace to explain: id, name or latest"`
	Trace      string  `json:"trace,omitempty" jsonschema:"a trace file or folder below the roots, instead of a Run"`
	WhatIf     string  `json:"what_if,omitempty" jsonschema:"fixes to predict together, such as loader=free,optimizer=fused"`
	Step       *int64  `json:"step,omitempty" jsonschema:"explain only the step of this number"`
	StepTimeMS float64 `json:"step_time_ms,omitempty" jsonschema:"mean step without a profiler; a Run knows its own"`
}

// traceSource is the trace that an agent means.
type traceSource struct{ path, run, typed string }

func (t traceSource) arguments() map[string]any {
	if t.run != "" {
		return map[string]any{"run": t.run}
	}
	return map[string]any{"trace": t.typed}
}

func (c *call) traceOf(runName, path string) (traceSource, error) {
	if path != "" {
		full, err := c.server.roots.path(path)
		return traceSource{path: full, typed: path}, err
	}
	if runName == "" {
		runName = "latest"
	}
	found, err := c.server.find(runName)
	return traceSource{path: found.Dir, run: found.ID}, err
}

// whatIfForm is a list of repairs as analyze takes it; which there are, the command knows.
var whatIfForm = regexp.MustCompile(`^[a-z][a-z0-9_=.,:-]{0,300}$`)

func answerAnalyze(ctx context.Context, c *call, in analyzeInput) (Answer, error) {
	source, err := c.traceOf(in.Run, in.Trace)
	if err != nil {
		return Answer{}, err
	}
	args := []string{"analyze", source.path}
	if in.WhatIf != "" {
		if !whatIfForm.MatchString(in.WhatIf) {
			return Answer{}, refused("`what_if` is a list of fixes, such as loader=free,optimizer=fused")
		}
		args = append(args, "--what-if="+in.WhatIf)
	}
	if in.Step != nil {
		args = append(args, fmt.Sprintf("--step=%d", *in.Step))
	}
	if in.StepTimeMS > 0 {
		args = append(args, "--step-time="+time.Duration(in.StepTimeMS*float64(time.Millisecond)).String())
	}
	r, a, err := c.command(ctx, args...)
	if err != nil {
		a.NextStep = NextStep{
			Tool: "profile",
			Why:  "Without a trace, profile records one; its answer alone shows where the time goes.",
		}
		return a, err
	}
	a.Run, a.Findings = source.run, c.findings(r.Findings)
	a.NextStep = NextStep{Tool: "propose", Why: "Get the known fixes as a patch, then verify it."}
	data, ok := r.Data.(analyze.Analysis)
	if !ok {
		return a, nil
	}
	a.Predictions = predictions(data.WhatIf)
	a.Gaps = gapsOf(data)
	a.Gaps = a.Gaps[:min(3, len(a.Gaps))]
	if source.run != "" {
		a.Links = append(a.Links, "run://"+source.run)
	}
	if link := source.windowLink(1); link != "" && len(a.Gaps) > 0 {
		a.Links = append(a.Links, link)
	}
	return a, nil
}

// gapsOf numbers the longest gaps of the GPU that the verdict speaks of.
func gapsOf(data analyze.Analysis) (out []Gap) {
	gpu := data.MainGPU()
	if gpu == nil {
		return nil
	}
	for i, g := range gpu.LongestGaps {
		out = append(out, Gap{
			Number: i + 1, MS: ms(g.NS()), StartMS: ms(g.StartNS), Cause: g.Cause, Place: g.Place,
			Next: g.Next,
		})
	}
	return out
}
