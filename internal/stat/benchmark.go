package stat

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"saturate/internal/human"
)

// WriteBenchmark writes the samples in the Go benchmark format, which benchstat reads: one line
// for each value, preceded by the settings (cpu, commit, …) they were taken under.
// Values that are NaN or infinite have no place in that format; a remark says how many were left out.
func WriteBenchmark(w io.Writer, settings map[string]string, series ...Series) error {
	out := benchfmt.NewWriter(w)
	var config []benchfmt.Config
	written := map[string]bool{"": true}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		key, value := settingKey(name), strings.Join(strings.Fields(settings[name]), " ")
		if value != "" && !written[key] {
			written[key] = true
			config = append(config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}

	described := map[string]bool{}
	for _, s := range series {
		unit := benchmarkUnit(s.Unit)
		if better := map[int]string{-1: "lower", 1: "higher"}[Better(s.Unit)]; better != "" && !described[unit] {
			described[unit] = true
			key := benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}
			if err := out.Write(&benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: unit, Value: better}); err != nil {
				return err
			}
		}
	}
	for _, s := range series {
		result := benchfmt.Result{Config: config, Name: benchfmt.Name(benchmarkName(s.Name)), Iters: 1}
		values := finite(s.Values)
		for _, v := range values {
			result.Values = []benchfmt.Value{{Value: v, Unit: benchmarkUnit(s.Unit)}}
			if err := out.Write(&result); err != nil {
				return err
			}
		}
		if left := len(s.Values) - len(values); left > 0 {
			if _, err := fmt.Fprintf(w, "# %s of %s %s NaN or infinite and left out\n", human.Plural(left, "value"),
				benchmarkName(s.Name), human.Choose(left, "is", "are")); err != nil {
				return err
			}
		}
	}
	return nil
}

// benchmarkName makes a name that the format accepts: no spaces, and no small letter first.
func benchmarkName(name string) string {
	joined := []rune(strings.Join(strings.Fields(name), "_"))
	if len(joined) == 0 {
		return "Samples"
	}
	joined[0] = unicode.ToUpper(joined[0])
	return string(joined)
}

// benchmarkUnit spells seconds as benchstat does, which then scales them: s/it becomes sec/it.
func benchmarkUnit(unit string) string {
	unit = strings.Join(strings.Fields(unit), "-")
	switch {
	case unit == "":
		return "value"
	case unit == "s" || strings.HasPrefix(unit, "s/"):
		return "sec" + unit[1:]
	}
	return unit
}

// settingKey makes a key that the format accepts: a small letter first, then neither spaces nor capitals nor colons.
func settingKey(key string) string {
	key = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == ':' {
			return '-'
		}
		return unicode.ToLower(r)
	}, key)
	if key != "" && !unicode.IsLower([]rune(key)[0]) {
		return "x-" + key
	}
	return key
}
