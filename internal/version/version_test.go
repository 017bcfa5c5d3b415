package version

import (
	"runtime/debug"
	"testing"
)

func TestBuild(t *testing.T) {
	commit := []debug.BuildSetting{
		{Key: "-trimpath", Value: "true"},
		{Key: "vcs.revision", Value: "abc1234def5678abc1234def5678abc1234def56"},
		{Key: "vcs.time", Value: "2026-11-15T23:30:00-02:00"},
		{Key: "vcs.modified", Value: "false"},
	}
	dirty := append(commit[:3:3], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for want, settings := range map[string][]debug.BuildSetting{
		Version: nil,
		Version + " (commit abc1234, 2026-11-16)":       commit,
		Version + " (commit abc1234+dirty, 2026-11-16)": dirty,
		Version + " (commit abc)":                       {{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "yesterday"}},
	} {
		if got := of(settings).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
