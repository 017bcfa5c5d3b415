package mcp

import (
	"context"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"saturate/internal/finding"
	"saturate/internal/run"
)

// mostCompleted is how many values the protocol allows in one answer.
const mostCompleted = 100

// complete offers the values that the address of a resource can have: Runs and rules. Of anything else it knows none.
func (s *Server) complete(_ context.Context, request *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	var all []string
	if ref := request.Params.Ref; ref != nil && ref.Type == "ref/resource" {
		switch argument := request.Params.Argument.Name; {
		case strings.HasPrefix(ref.URI, "rule://") && argument == "code":
			for _, r := range finding.Rules() {
				all = append(all, r.Code)
			}
		case strings.HasPrefix(ref.URI, "run://") && argument == "id", strings.HasPrefix(ref.URI, "trace://") &&
			argument == "run":
			all = append(all, "latest")
			runs, _ := run.List(s.opt.Runs)
			for _, r := range runs {
				if r.State != run.Damaged && isRunName(r.ID) {
					all = append(all, r.ID)
				}
			}
		}
	}
	typed := strings.ToLower(request.Params.Argument.Value)
	all = slices.DeleteFunc(all, func(v string) bool { return !strings.HasPrefix(strings.ToLower(v), typed) })
	shown := all[:min(mostCompleted, len(all))]
	return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{
		Values: append([]string{}, shown...),
		Total:  len(all), HasMore: len(all) > len(shown),
	}}, nil
}
