package cli

import (
	"context"
	"path/filepath"
	"strings"

	"saturate/internal/report"
	"saturate/internal/verify"
	"saturate/internal/version"
	"saturate/internal/view"
)

// writeCard draws one experiment of verify as a picture to share.
func writeCard(ctx context.Context, env *Env, o reportOptions, args []string) (report.Report, error) {
	ending := strings.ToLower(filepath.Ext(o.card))
	switch {
	case ending != ".svg" && ending != ".png":
		return report.Report{}, usage("--card cannot write a %q file; use .svg or .png", ending)
	case o.dark && ending == ".svg":
		return report.Report{}, usage("--dark is for .png; an .svg follows its viewer's theme")
	case len(args) != 1:
		return report.Report{}, usage("--card needs one run of verify; try: saturate report latest --card result.svg")
	}
	file := env.path(o.card)
	if err := checkPlace(file); err != nil {
		return report.Report{}, err
	}
	if err := env.spare(file, "", args); err != nil {
		return report.Report{}, err
	}
	found, err := findRun(env, args[0])
	if err != nil {
		return report.Report{}, err
	}
	if !verify.IsExperiment(found.Dir) {
		return report.Report{}, usage("%s is not a run of verify, which has a before and an after; `saturate report` lists all runs", args[0])
	}
	result, err := verify.Read(found.Dir)
	if err != nil {
		return report.Report{}, err
	}
	c := view.OfCard(result, found.Environment, version.Version)
	data := c.SVG()
	if ending == ".png" {
		if data, err = c.PNG(o.dark); err != nil {
			return report.Report{}, err
		}
	}
	if err := writeWhole(ctx, file, data); err != nil {
		return report.Report{}, err
	}
	return report.Report{
		Command: "report", Title: "Card", Summary: []string{"Wrote " + env.shown(file) + ": " + c.Headline +
			"."}, Data: view.CardData{Card: env.shown(file)},
	}, nil
}
