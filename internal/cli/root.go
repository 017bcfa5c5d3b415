package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"saturate/internal/config"
	"saturate/internal/version"
)

// commands is the command line. Adding a command is one file and one line here.
var commands []command

func init() {
	// Filled here because configCommand lists the settings of all commands, its own included.
	commands = []command{
		doctorCommand,
		scanCommand,
		ruleCommand,
		fixCommand,
		instrumentCommand,
		tuneCommand,
		batchCommand,
		profileCommand,
		analyzeCommand,
		compareCommand,
		exportCommand,
		reportCommand,
		serveCommand,
		verifyCommand,
		benchCommand,
		optimizeCommand,
		demoCommand,
		mcpCommand,
		agentCommand,
		ttsCommand,
		melCommand,
		configCommand,
		manCommand,
		versionCommand,
	}
}

// Main runs one command line and returns the process's exit code.
func Main(env *Env, args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends what does not end by itself
	root := newRoot(env)
	root.SetArgs(joinSwitches(args))
	err := root.ExecuteContext(ctx)
	// --help of an unknown command, which cobra would answer with the general help
	if err == nil && root.Flags().NArg() > 0 {
		err = unknownCommand(root.Flags().Arg(0))
	}
	if ctx.Err() != nil && err != nil && !errors.As(err, &exitError{}) {
		err = context.Canceled
	}
	if text := errorText(err); text != "" {
		env.sayLines(text)
	}
	return exitCode(err)
}

// errorText is what the user reads; an exit code alone (findings, undecided) needs no words.
func errorText(err error) string {
	var e exitError
	switch {
	case err == nil, errors.As(err, &e) && e.err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "stopped" // commands that keep something say what
	default:
		return err.Error()
	}
}

func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "saturate",
		Short: "Find why a GPU starves during training, fix it, and prove the fix",
		Long: `saturate finds why a GPU starves during training, fixes it, and proves the fix.

What a command measures is kept as a Run: a folder in runs/ with the steps, the environment and the results.

Exit codes: 0 done; 1 findings, a slowdown or a failed --gate; 2 usage error;
3 inconclusive; 4 something is missing (Python, torch, a GPU).`,
		Example: `  saturate doctor                          check GPU, Python and disk
  saturate scan .                          find code that starves the GPU
  saturate analyze trace.pt.trace.json.gz  explain why the GPU was idle
  saturate report latest -o report.html    write one HTML file to share`,
		Version:       version.Built().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cc *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cc.Help()
			}
			return unknownCommand(args[0])
		},
	}
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetVersionTemplate("saturate {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetHelpCommandGroupID(string(about))
	root.SetCompletionCommandGroupID(string(about))
	root.SetFlagErrorFunc(flagError)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cc *cobra.Command, args []string) {
		if cc != root || root.Flags().NArg() == 0 {
			help(cc, args)
		}
	})

	shared := root.PersistentFlags()
	shared.String("color", "auto", "color: auto, always or never")
	shared.BoolP("quiet", "q", false, "print only the result and errors")
	shared.BoolP("verbose", "v", false, "print more details")
	shared.String("env-file", "", "read environment variables from `FILE` (NAME=value lines)")
	onCommandLineOnly(shared, "quiet", "verbose", "env-file")
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions([]string{"auto", "always", "never"},
		cobra.ShellCompDirectiveNoFileComp))

	for _, g := range groups {
		if !slices.ContainsFunc(commands, func(c command) bool { return c.group == g }) {
			continue
		}
		root.AddGroup(&cobra.Group{ID: string(g), Title: string(g) + ":"})
	}
	for _, c := range commands {
		root.AddCommand(c.cobra(env))
	}
	checkTopics(root)
	return root
}

// checkTopics makes an unknown shell or command an error; cobra would print its help and succeed.
func checkTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cc := range root.Commands() {
		switch cc.Name() {
		case "completion":
			cc.Args = func(cc *cobra.Command, args []string) error {
				if len(args) == 0 {
					return nil
				}
				var shells []string
				for _, shell := range cc.Commands() {
					shells = append(shells, shell.Name())
				}
				return usage("no completion for %q; use one of %s%s", args[0], strings.Join(shells, ", "),
					config.Hint(args[0], shells))
			}
			cc.RunE = func(cc *cobra.Command, _ []string) error { return cc.Help() }
		case "help":
			cc.Args = func(_ *cobra.Command, args []string) error {
				if found, _, err := root.Find(args); len(args) > 0 && (err != nil || found == root) {
					return unknownCommand(args[0])
				}
				return nil
			}
		}
	}
}

func unknownCommand(typed string) error {
	var names []string
	for _, c := range commands {
		if !c.hidden {
			names = append(names, c.name)
		}
	}
	if near := config.Nearest(typed, names); near != "" {
		return usage("unknown command %q; did you mean `saturate %s`?", typed, near)
	}
	return usage("unknown command %q; `saturate --help` lists all commands", typed)
}

// takes says in words what flags of Go's own types accept.
var takes = map[string]string{
	"int": wholeNumber, "int64": wholeNumber, "uint": wholeNumber, "uint64": wholeNumber,
	"float64": "a number", "bool": "true or false", "duration": "a duration, such as 1.5s or 250ms",
}

const wholeNumber = "a whole number"

// cannotBe says what a flag or a setting takes instead of a value. Types of this program explain themselves.
func cannotBe(f *pflag.Flag, value string, err error) string {
	switch kind, ok := takes[f.Value.Type()]; {
	case !ok:
		return fmt.Sprintf("cannot be %q: %v", value, err)
	case errors.Is(err, strconv.ErrRange):
		return fmt.Sprintf("cannot be %q: the number is too large", value)
	default:
		return fmt.Sprintf("cannot be %q: use %s", value, kind)
	}
}

// flagError says in a sentence what is wrong with a flag, and names the one that was probably meant.
func flagError(cc *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		bad     *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &bad):
		return usage("--%s %s", bad.GetFlag().Name, cannotBe(bad.GetFlag(), bad.GetValue(), bad.Unwrap()))
	case errors.As(err, &missing):
		return usage("--%s needs a value; see `%s --help`", missing.GetFlag().Name, cc.CommandPath())
	case !errors.As(err, &unknown):
		return usage("%v; see `%s --help`", err, cc.CommandPath())
	}
	if !cc.HasParent() && cc.Flags().NArg() > 0 { // the flag of a command that does not exist
		return unknownCommand(cc.Flags().Arg(0))
	}
	typed := unknown.GetSpecifiedName()
	var names []string
	cc.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	cc.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := config.Nearest(typed, names); near != "" && len(typed) > 1 {
		return usage("unknown flag --%s for `%s`; did you mean --%s?", typed, cc.CommandPath(), near)
	}
	return usage("unknown flag -%s; `%s --help` lists all flags", strings.Repeat("-", min(1, len(typed)-1))+typed,
		cc.CommandPath())
}
