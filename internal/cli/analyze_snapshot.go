package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"saturate/internal/files"
	"saturate/internal/report"
	"saturate/internal/trace/snapshot"
	"saturate/internal/view"
)

// analyzeSnapshot explains a memory snapshot. Not ok means that what was named is something else.
func analyzeSnapshot(ctx context.Context, env *Env, typed []string, top int) (r report.Report, ok bool, err error) {
	if len(typed) != 1 || typed[0] == "" {
		return r, false, nil
	}
	path := env.path(typed[0])
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return r, false, nil
	}
	f, err := files.Open(path)
	if err != nil {
		return r, false, nil
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	if head, _ := in.Peek(4096); !snapshot.Sniff(head) {
		return r, false, nil
	}
	s, err := files.Await(ctx, func() (*snapshot.Snapshot, error) { return snapshot.Read(in) })
	if err != nil {
		return r, true, fmt.Errorf("%s: %w", env.shown(path), err)
	}
	return view.OfSnapshot(env.shown(path), s.Explain(), top), true, nil
}
