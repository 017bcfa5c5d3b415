package cli

import (
	"context"

	"saturate/internal/config"
	"saturate/internal/report"
)

var configCommand = command{
	name: "config", group: about,
	short: "Show every setting, its value and where it came from",
	long: `Show every setting, its value and where it came from.

The first place that has a setting wins:
  1. flags on the command line
  2. the environment: SATURATE_FORMAT, SATURATE_RUNS …; also GPU_BACKEND,
     USE_CUDA (used only when GPU_BACKEND is not set) and OPTIMIZATION_LEVEL
  3. the file named by --env-file
  4. the nearest saturate.toml, or pyproject.toml with a [tool.saturate] table
  5. your own ~/.config/saturate/saturate.toml
  6. the default

A project's settings file cannot choose programs to run, servers to contact, or folders
outside the project. Only you can.`,
	example: `  saturate config
  GPU_BACKEND=cpu saturate config --format json`,
	data: settingsData{},
	prepare: plain(func(_ context.Context, env *Env, _ []string) (report.Report, error) {
		values := env.Config.All()
		table := &report.Table{Columns: []report.Column{{Name: "Setting"}, {Name: "Value"}, {Name: "From"}}}
		for _, v := range values {
			table.Rows = append(table.Rows, []string{v.Key, v.Value, v.Origin})
		}
		return report.Report{
			Title:  "Settings",
			Blocks: []report.Block{{Table: table}},
			Data:   settingsData{values, append([]string{}, env.Config.Warnings...)},
		}, nil
	}),
}

type settingsData struct {
	Settings []config.Value `json:"settings"`
	Warnings []string       `json:"warnings"` // about the settings
}
