package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"saturate/internal/batch"
	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/optimize"
	"saturate/internal/patch"
	"saturate/internal/probe"
	"saturate/internal/process"
)

// growBatch looks for the batch size of the program that optimize has made.
func growBatch(env *Env, writable []string) optimize.Grow {
	return func(ctx context.Context, t optimize.GrowTask) (optimize.Grown, error) {
		if err := files.OwnFolder(t.Scratch, 0o700); err != nil {
			return optimize.Grown{}, err
		}
		variables, err := t.Home.Environ(env.Vars, "")
		if err != nil {
			return optimize.Grown{}, err
		}
		own := []string{t.Scratch}
		for _, dir := range writable {
			own = append(own, env.path(dir))
		}
		programs := &batch.Programs{
			Plan: probe.Plan{
				Command: t.Home.Command(t.Command), Dir: t.Dir, Environ: variables,
				Confine: &process.Confinement{Own: own},
			},
			Limit:  10 * time.Minute,
			Folder: t.Scratch,
		}
		result, err := batch.Search(ctx, batch.Options{}, programs.Run)
		if err != nil {
			return optimize.Grown{}, err
		}
		return grown(t, programs, result), nil
	}
}

// grown says what was found in the words of optimize.
func grown(t optimize.GrowTask, programs *batch.Programs, r batch.Result) optimize.Grown {
	g := optimize.Grown{From: r.Own, Batch: r.Own, Speed: 1}
	if r.Knee == nil || r.Knee.Batch <= r.Own {
		g.Text = fmt.Sprintf("batch %d is already within 3%% of the best samples/s", r.Own)
		return g
	}
	g.Batch = r.Knee.Batch
	for _, m := range r.Trials {
		if m.Batch == r.Own && m.Rate > 0 {
			g.Speed = r.Knee.Rate / m.Rate
		}
	}
	g.Text = fmt.Sprintf("batch %d trains %s as many samples/s as batch %d", g.Batch, human.Times(g.Speed), g.From)
	if l := r.Largest; l != nil {
		g.Text += fmt.Sprintf("; the largest that fits is %d, with %s of the memory used", l.Batch, human.Percent(l.Use()))
	}
	s := batch.Set(t.Dir, t.Command, programs.Told, r.Own, g.Batch)
	g.Command = s.Command
	for _, c := range s.Changes {
		g.Changes = append(g.Changes, patch.Change{Path: filepath.ToSlash(c.Path), Old: c.Old, New: c.New})
	}
	if len(g.Changes) == 0 && s.Text != "" {
		g.Notes = append(g.Notes, s.Text)
	}
	for _, a := range batch.Advise(programs.Told, r.Own, g.Batch, r.Knee.Samples, len(programs.Last.Ranks)) {
		g.Notes = append(g.Notes, a.Topic+": "+a.Text+" ("+a.Rule+")")
	}
	return g
}
