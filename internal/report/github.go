package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
)

// renderGitHub writes one workflow command a finding, which GitHub shows beside the line it is about.
func renderGitHub(r Report, _ Options) ([]byte, error) {
	var b bytes.Buffer
	for _, f := range r.Findings {
		level := map[finding.Severity]string{finding.Error: "error", finding.Warning: "warning"}[f.Severity]
		if level == "" {
			level = "notice"
		}
		properties := []string{"title=" + property(f.Code+" "+f.Name)}
		if w := f.Where; w != nil {
			in := w.Range()
			properties = append(properties, "file="+property(filepath.ToSlash(w.Path)),
				fmt.Sprintf("line=%d,endLine=%d,col=%d,endColumn=%d", in.Line, in.EndLine, in.Column, in.EndColumn))
		}
		message := f.Message + ". " + f.Why
		if f.Where != nil && f.Where.Cell > 0 {
			message = sentence(f.Where.InWords()+": "+f.Message) + " " + f.Why
		}
		if f.Advice != "" {
			message += "\n" + f.Advice
		}
		fmt.Fprintf(&b, "::%s %s::%s\n", level, strings.Join(properties, ","), commandData.Replace(human.Clean(message)))
	}
	return b.Bytes(), nil
}

// What GitHub's runner would take for the end of the message, and in a property for the end of that.
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func property(s string) string { return commandProperty.Replace(human.Clean(s)) }
