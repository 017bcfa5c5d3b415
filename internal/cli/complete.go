package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"saturate/internal/finding"
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

// takeRules marks flags whose value is a list of source rules.
func takeRules(fs *pflag.FlagSet, names ...string) {
	for _, name := range names {
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
