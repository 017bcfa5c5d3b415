package cli

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"saturate/internal/finding"
	"saturate/internal/run"
)

// completions are the words that begin with what was typed, in any case.
func completions(words []string, typed string) (fit []string) {
	for _, w := range words {
		if len(w) >= len(typed) && strings.EqualFold(w[:len(typed)], typed) {
			fit = append(fit, w)
		}
	}
	return fit
}

// completeRuns offers the names of Runs, and latest. The settings are not read while the shell completes a word, so the
// folder is the usual one, or that of the variable.
func completeRuns(env *Env) []string {
	list, err := run.List(env.path(cmp.Or(env.Var("SATURATE_RUNS"), "runs")))
	if err != nil || len(list) == 0 {
		return nil
	}
	words := []string{"latest"}
	for _, r := range list {
		if !slices.Contains(words, r.Name) {
			words = append(words, r.Name)
		}
	}
	return words
}

// completeTraces offers the traces of the newest Runs and those that torch.profiler wrote to ./log.
func completeTraces(env *Env) []string {
	runs := env.path(cmp.Or(env.Var("SATURATE_RUNS"), "runs"))
	var words []string
	for _, pattern := range []string{
		filepath.Join(runs, "*", "profiler_traces", "*"), filepath.Join(env.Dir, "log", "*"),
		filepath.Join(env.Dir, "*"),
	} {
		found, _ := filepath.Glob(pattern) // the pattern is well formed, or there is nothing to offer
		for _, path := range found {
			if isTraceName(filepath.Base(path)) {
				words = append(words, env.shown(path))
			}
		}
	}
	return words
}

func isTraceName(name string) bool {
	for _, ending := range []string{".trace.json", ".trace.json.gz", ".xplane.pb"} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

func completeTracesAndRuns(env *Env) []string {
	return append(completeTraces(env), completeRuns(env)...)
}

// takeRules marks the two flags that choose source rules. Whoever knows them from one command finds them in the others:
// --select and --only are one flag, --ignore and --except another.
func takeRules(fs *pflag.FlagSet, only, except string) {
	fs.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		switch name {
		case "only", "select":
			name = only
		case "except", "ignore":
			name = except
		}
		return pflag.NormalizedName(name)
	})
	for _, name := range []string{only, except} {
		if err := fs.SetAnnotation(name, "takes-rules", nil); err != nil {
			panic(err)
		}
	}
}

// completeRules offers codes and names to the flags that take rules. Only the last word of a list is completed.
func completeRules(cc *cobra.Command) {
	cc.Flags().VisitAll(func(f *pflag.Flag) {
		if _, takes := f.Annotations["takes-rules"]; !takes {
			return
		}
		_ = cc.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, typed string) (fit []string, _ cobra.ShellCompDirective) {
			before := typed[:strings.LastIndexByte(typed, ',')+1]
			for _, word := range completions(ruleWords(finding.Source), typed[len(before):]) {
				fit = append(fit, before+word)
			}
			return fit, cobra.ShellCompDirectiveNoFileComp
		})
	})
}
