package cli

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"saturate/internal/agent"
	"saturate/internal/human"
	"saturate/internal/process"
)

// askAgent lets a program of the user's propose edits, once the known fixes are tried.
func (o *optimizeOptions) askAgent(env *Env) error {
	if o.agent == "" {
		return nil
	}
	words, err := process.Words(o.agent)
	switch {
	case err != nil:
		return usage("--agent: %v", err)
	case len(words) == 0:
		return usage("--agent is empty; try: --agent 'claude -p --permission-mode acceptEdits'")
	case o.agentLimit <= 0:
		return usage("--agent-limit must be greater than 0")
	}
	path, err := exec.LookPath(words[0])
	if err == nil {
		path, err = filepath.Abs(path) // it runs in another folder
	}
	if err != nil {
		return exitError{exitMissing, fmt.Errorf("--agent: %s is not a program in PATH", words[0])}
	}
	words[0] = path
	asking := agent.Asking{Command: words, Environ: env.Vars, Project: o.Dir, State: o.State, Limit: o.agentLimit, Tell: func(text string) {
		if env.Verbose >= 0 {
			fmt.Fprintln(env.Stderr, "  "+human.Line(text))
		}
	}}
	o.Propose = asking.Propose
	return nil
}
