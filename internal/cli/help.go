package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"saturate/internal/human"
)

// What a flag's annotations say to the help.
const (
	inSection = "section" // the heading that it stands under
	isRare    = "rare"    // it is shown by --help-all alone
)

// section puts the flags that define adds under a heading of the command's help.
func section(fs *pflag.FlagSet, title string, define func()) {
	before := map[string]bool{}
	fs.VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	define()
	fs.VisitAll(func(f *pflag.Flag) {
		if !before[f.Name] {
			annotate(fs, inSection, []string{title}, f.Name)
		}
	})
}

// rare leaves flags out of --help: most users never need them. --help-all, the manual pages, shell completion and
// `saturate config` still have them.
func rare(fs *pflag.FlagSet, names ...string) { annotate(fs, isRare, nil, names...) }

func annotate(fs *pflag.FlagSet, key string, values []string, names ...string) {
	for _, name := range names {
		if err := fs.SetAnnotation(name, key, values); err != nil {
			panic(err)
		}
	}
}

// addHelpAll gives --help-all to a command that has rare flags.
func addHelpAll(fs *pflag.FlagSet) {
	if hasRare := countRare(fs) > 0; hasRare {
		fs.Bool("help-all", false, "show all flags, including rarely used ones")
		onCommandLineOnly(fs, "help-all")
	}
}

func countRare(fs *pflag.FlagSet) int {
	n := 0
	fs.VisitAll(func(f *pflag.Flag) {
		if _, ok := f.Annotations[isRare]; ok {
			n++
		}
	})
	return n
}

func wantsHelpAll(cc *cobra.Command) bool {
	all, err := cc.Flags().GetBool("help-all")
	return err == nil && all
}

// usageText is what stands below a command's description: usage, examples, then the flags by section. Lines of flags
// are wrapped at width, when there is one.
func usageText(cc *cobra.Command, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", cc.UseLine())
	if cc.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cc.Example)
	}
	if cc.HasAvailableSubCommands() {
		b.WriteString("\nOn many machines:\n")
		for _, sub := range cc.Commands() {
			fmt.Fprintf(&b, "  %-14s %s\n", cc.Name()+" "+sub.Name(), sub.Short)
		}
	}
	all := wantsHelpAll(cc)
	sections, titles := map[string]*pflag.FlagSet{}, []string{}
	cc.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, rarely := f.Annotations[isRare]; rarely && !all {
			return
		}
		title := ""
		if named := f.Annotations[inSection]; len(named) > 0 {
			title = named[0]
		}
		if sections[title] == nil {
			sections[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			sections[title].SortFlags = false
			if title != "" {
				titles = append(titles, title)
			}
		}
		sections[title].AddFlag(f)
	})
	rest := "Flags"
	if len(titles) > 0 {
		rest = "Other flags"
	}
	for _, title := range titles {
		fmt.Fprintf(&b, "\n%s:\n%s", title, sections[title].FlagUsagesWrapped(width))
	}
	fmt.Fprintf(&b, "\n%s:\n%s", rest, sections[""].FlagUsagesWrapped(width))
	if inherited := cc.InheritedFlags(); inherited.HasAvailableFlags() {
		fmt.Fprintf(&b, "\nGlobal flags:\n%s", inherited.FlagUsagesWrapped(width))
	}
	if n := countRare(cc.LocalFlags()); n > 0 && !all {
		fmt.Fprintf(&b, "\n%s not shown: %s --help-all\n", human.Plural(n, "rare flag"), cc.CommandPath())
	}
	return b.String()
}
