package cli

import (
	"context"

	"saturate/internal/report"
	"saturate/internal/version"
)

var versionCommand = command{
	name: "version", group: about, min: 0, max: 0,
	short:   "Print the version, with the commit and its date",
	example: `  saturate version`,
	data:    version.Build{},
	prepare: plain(func(context.Context, *Env, []string) (report.Report, error) {
		built := version.Built()
		return report.Report{Summary: []string{"saturate " + built.String()}, Data: built}, nil
	}),
}
