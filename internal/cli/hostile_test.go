package cli

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// A project's settings file comes from somebody else. The settings of free text that it may give are listed here: a new one is
// either harmless, and added, or marked with forUserOnly.
func TestWhatProjectsMaySay(t *testing.T) {
	harmless := []string{
		"scan.baseline",                                             // a file to read
		"tts.manifest", "tts.model", "tts.text_column", "tts.voice", // words
		"profile.profiling.unit", "verify.measure", "verify.numerics", "optimize.allow", "bench.device",
		"mel.checksum", "mel.device", "mel.layout", "mel.map", "mel.path_column", "mel.scaling", "mel.to", "mel.window",
	}
	for _, c := range commands {
		fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
		c.prepare().flags(fs)
		fs.VisitAll(func(f *pflag.Flag) {
			_, personal := f.Annotations["for-user-only"]
			if key := settingKey(c.name, f); isSetting(f) && f.Value.Type() == "string" && !personal && !slices.Contains(harmless, key) {
				t.Errorf("%s: may a project's settings file choose it?", key)
			}
		})
	}
	for _, key := range []string{"doctor.python", "instrument.python", "tune.python", "bench.python", "mel.ffmpeg", "tts.engine", "tts.command", "tts.server", "runs"} {
		for _, s := range settings(commands) {
			if s.Key == key && (s.InProject == nil || s.InProject("/usr/bin/env") == nil) {
				t.Errorf("%s: a project's settings file may choose it", key)
			}
		}
	}
}
