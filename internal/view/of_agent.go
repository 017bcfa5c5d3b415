package view

import (
	"strings"

	"saturate/internal/agent"
	"saturate/internal/human"
	"saturate/internal/report"
)

// AgentData is the JSON of agent.
type AgentData struct {
	Agent   string      `json:"agent"`   // the coding agent
	Applied bool        `json:"applied"` // the files are written
	Files   []AgentFile `json:"files"`
	Backups []string    `json:"backups"` // copies of the files before the change
}

// AgentFile is a file that changes.
type AgentFile struct {
	Path   string `json:"path"`   // of the file
	Action string `json:"action"` // create, change or remove
}

// OfAgent shows what has to change so that a coding agent uses saturate, or no longer does.
func OfAgent(s agent.Setup, diff []byte, install, applied bool, backups []string) report.Report {
	data := AgentData{Agent: s.Agent, Applied: applied, Files: []AgentFile{}, Backups: append([]string{}, backups...)}
	var names []string
	for _, c := range s.Changes {
		action := "change"
		switch {
		case c.Old == nil:
			action = "create"
		case c.New == nil:
			action = "remove"
		}
		data.Files = append(data.Files, AgentFile{c.Path, action})
		names = append(names, action+" `"+c.Path+"`")
	}
	r := report.Report{Command: "agent", Title: "Setup of " + s.Agent, Data: data, Diff: diff}
	switch {
	case len(s.Changes) == 0 && install:
		r.Summary = []string{s.Agent + " is set up already. Nothing to change."}
	case len(s.Changes) == 0:
		r.Summary = []string{s.Agent + " has no saturate settings here. Nothing to change."}
	case applied && install:
		r.Diff, r.Tone = nil, report.Good
		r.Summary = []string{
			s.Agent + " is set up: " + strings.Join(names, ", ") + ".",
			"Start the agent in this folder and ask it to make training faster.",
		}
	case applied:
		r.Diff = nil
		r.Summary = []string{"Removed: " + strings.Join(names, ", ") + "."}
	default:
		r.Summary = []string{"Would " + human.And(names) + ". Nothing is written yet."}
	}
	if len(backups) > 0 {
		r.Summary = append(r.Summary, "Kept before the change: "+strings.Join(backups, ", ")+".")
	}
	return r
}
