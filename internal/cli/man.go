package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra/doc"

	"saturate/internal/report"
	"saturate/internal/version"
)

var manCommand = command{
	name: "man", group: about, args: "DIR", min: 1, max: 1,
	short:   "Write the manual pages to a folder",
	example: `  saturate man ~/.local/share/man/man1`,
	prepare: plain(func(_ context.Context, env *Env, args []string) (report.Report, error) {
		dir := env.path(args[0])
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return report.Report{}, fmt.Errorf("cannot create the folder for the manual pages: %w", err)
		}
		root := newRoot(env)
		root.DisableAutoGenTag = true
		date, err := time.Parse(time.DateOnly, version.Built().Date) // the commit's, so that two builds write the same pages
		if err != nil {
			date = env.Now()
		}
		header := &doc.GenManHeader{Title: "SATURATE", Section: "1", Source: "saturate " + version.Version, Date: &date}
		if err := doc.GenManTree(root, header, dir); err != nil {
			return report.Report{}, fmt.Errorf("cannot write the manual pages to %s: %w", dir, err)
		}
		return report.Report{
			Summary: []string{"Wrote the manual pages to " + args[0] + ". Read the first with `man -l " + args[0] + "/saturate.1`."},
			Data:    map[string]string{"dir": args[0]},
		}, nil
	}),
}
