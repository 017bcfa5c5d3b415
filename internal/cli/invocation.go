package cli

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"saturate/internal/report"
)

// invocation is a command that is about to run: its action, and what the flags of all commands say.
type invocation struct {
	command
	env      *Env
	action   action
	formats  []string
	output   string
	exitZero bool
	beside   pageFlag
}

// cobra builds the command for one invocation.
func (c command) cobra(env *Env) *cobra.Command {
	i := &invocation{command: c, env: env, action: c.prepare(), formats: c.formats}
	if i.formats == nil {
		i.formats = []string{"text", "json"}
	}
	cc := &cobra.Command{
		Use: strings.TrimSpace(c.name + " " + c.args), Short: c.short, Long: cmp.Or(c.long, c.short+"."), Example: c.example,
		GroupID: string(c.group), Hidden: c.hidden,
		DisableFlagsInUseLine: true,
		Args:                  c.checkArgs,
		RunE:                  i.run,
	}
	if c.complete != nil {
		cc.ValidArgsFunction = i.completeArgs
	}
	cc.SetUsageFunc(func(cc *cobra.Command) error {
		_, err := io.WriteString(cc.OutOrStdout(), usageText(cc, env.Width))
		return err
	})
	i.defineFlags(cc)
	for _, sub := range c.under {
		sub.parent, sub.group = c.name, ""
		cc.AddCommand(sub.cobra(env))
	}
	return cc
}

// defineFlags adds the command's own flags, then those that many commands have.
func (i *invocation) defineFlags(cc *cobra.Command) {
	fs := cc.Flags()
	fs.SortFlags = false // a command lists its flags in the order in which people need them
	i.action.flags(fs)
	completeRules(cc)
	fs.String("format", "text", "output format: "+strings.Join(i.formats, ", "))
	_ = cc.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(i.formats, cobra.ShellCompDirectiveNoFileComp))
	if i.judges != "" {
		fs.BoolVar(&i.exitZero, "exit-zero", false, i.judges)
		onCommandLineOnly(fs, "exit-zero")
	}
	if slices.Contains(watched, i.name) {
		i.beside.define(fs)
	}
	if fs.Lookup("output") == nil {
		fs.StringVarP(&i.output, "output", "o", "", "write to `FILE` instead of stdout; its extension selects the format ("+
			strings.Join(i.fileEndings(i.formats), ", ")+")")
		onCommandLineOnly(fs, "output")
	}
	addHelpAll(fs)
}

func (i *invocation) completeArgs(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	switch {
	case i.max >= 0 && len(args) >= i.max:
		return nil, cobra.ShellCompDirectiveNoFileComp
	case i.orFiles:
		return completions(i.complete(i.env), typed), cobra.ShellCompDirectiveDefault
	}
	return completions(i.complete(i.env), typed), cobra.ShellCompDirectiveNoFileComp
}

// run settles what all commands need, runs the action, and writes its Report.
func (i *invocation) run(cc *cobra.Command, args []string) error {
	env := i.env
	if f := cc.Flags().Lookup("format"); f.Changed && !slices.Contains(i.formats, f.Value.String()) {
		return cannotPrint(i.name, f.Value.String(), i.formats)
	}
	if err := env.settle(cc, cmp.Or(i.parent, i.name)); err != nil {
		return err
	}
	journal := env.Progress.Journal
	defer journal.Close()
	env.recoverChanges()
	env.read = env.inputs(cc, args)
	out, err := env.output(cc, i.command, i.formats, i.output)
	if err != nil {
		return err
	}
	env.Format, env.dash, env.out = out.format, cc.ArgsLenAtDash(), &out
	leave, err := i.beside.open(cc.Context(), env)
	if err != nil {
		return err
	}
	shown := false
	defer func() { leave(shown) }()
	r, err := i.action.run(cc.Context(), env, args)
	if err != nil {
		return err
	}
	shown = true
	journal.Close() // the command is over; its page may stay
	return i.hand(r, &out)
}

// hand gives the Report to whoever called: to another command, or to the output.
func (i *invocation) hand(r report.Report, out *output) error {
	if r.Command == "" {
		r.Command = cmp.Or(i.parent, i.name)
	}
	if i.exitZero && r.Outcome == report.Found {
		r.Outcome = report.Done
	}
	env := i.env
	switch {
	case env.take != nil:
		env.take(r)
		return nil
	case env.silent:
		return nil
	}
	if err := out.write(env, r); err != nil {
		return err
	}
	if env.exit != 0 {
		return exitError{env.exit, nil}
	}
	return nil
}
