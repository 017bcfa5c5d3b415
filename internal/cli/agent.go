package cli

import (
	"context"

	"github.com/spf13/pflag"

	"saturate/internal/agent"
	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/report"
	"saturate/internal/view"
)

type agentOptions struct{ apply bool }

var agentCommand = command{
	name: "agent", group: agents, args: "install|remove AGENT [-- COMMAND…]", min: 2, max: -1, endings: []string{
		".diff",
		".patch",
	},
	short: "Set up a coding agent to use saturate: show a diff, or write it with --apply",
	long: `Set up a coding agent to use saturate in this project: show a diff, or write it with --apply.

install adds the server "saturate mcp" to the agent's project settings, for the training program COMMAND, and a skill
document of one page: how to find, fix and verify. Existing settings stay, and each of your files that changes is
backed up as FILE.before-saturate. A second install replaces only what saturate wrote, and remove deletes it.

AGENT is ` + human.Or(agent.Hosts()) + `.`,
	example: `  saturate agent install claude -- python train.py            show what would be written
  saturate agent install claude --apply -- python train.py    write it
  saturate agent remove claude --apply`,
	formats: []string{"text", "json", "markdown", "html"},
	data:    view.AgentData{},
	complete: func(*Env) []string {
		return append([]string{"install", "remove"}, agent.Hosts()...)
	},
	prepare: with(func(fs *pflag.FlagSet, o *agentOptions) {
		fs.BoolVar(&o.apply, "apply", false, "write the files")
		onCommandLineOnly(fs, "apply")
	}, setAgentUp),
}

func setAgentUp(_ context.Context, env *Env, o agentOptions, args []string) (report.Report, error) {
	names, program := args, []string(nil)
	if env.dash >= 0 {
		names, program = args[:env.dash], args[env.dash:]
	}
	if len(names) != 2 {
		return report.Report{}, usage("agent takes install or remove, and an agent; try: " +
			"saturate agent install claude -- python train.py")
	}
	var setup agent.Setup
	var err error
	switch names[0] {
	case "install":
		setup, err = agent.Install(env.Dir, names[1], program)
	case "remove":
		setup, err = agent.Remove(env.Dir, names[1])
	default:
		return report.Report{}, usage("unknown action %q; use install or remove", names[0])
	}
	if err != nil {
		return report.Report{}, usage("%v", err)
	}
	var backups []string
	if o.apply {
		if backups, err = setup.Apply(); err != nil {
			return report.Report{}, err
		}
	}
	r := view.OfAgent(setup, patch.Diff(setup.Changes), names[0] == "install", o.apply, backups)
	if !o.apply && len(setup.Changes) > 0 {
		line := "saturate agent " + names[0] + " " + names[1] + " --apply"
		if len(program) > 0 {
			line += " -- " + typed(program)
		}
		r.Next = []string{line}
	}
	return r, nil
}
