package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// question is the key under which the client answers whether a program may run.
const question = "run_program"

// program is the command that may run: the one of the start, or one that the user allows now. When the user has to be
// asked first, ask is what the client is to show, and the call comes again with the answer.
func (c *call) program(wanted []string) (command []string, ask *sdk.CallToolResult, err error) {
	s := c.server
	switch {
	case len(wanted) == 0 && len(s.opt.Program) == 0:
		return nil, nil, refused("no program was given at the start; name one as an argument list in `command`, or restart: saturate mcp -- python train.py")
	case len(wanted) == 0, slices.Equal(wanted, s.opt.Program):
		return s.opt.Program, nil, nil
	case slices.ContainsFunc(s.confirmed, func(known []string) bool { return slices.Equal(known, wanted) }):
		return wanted, nil, nil
	case len(wanted) > 200 || len(strings.Join(wanted, " ")) > 8000 || slices.ContainsFunc(wanted, func(w string) bool { return strings.ContainsRune(w, 0) }):
		return nil, nil, refused("the command is too long")
	}
	answer, answered := c.request.Params.InputResponses[question].(*sdk.ElicitResult)
	switch {
	case answered && answer.Action == "accept" && answer.Content["allow"] == true:
		s.confirmed = append(s.confirmed, wanted)
		return wanted, nil, nil
	case answered:
		return nil, nil, refused("the user did not allow this program; without `command`, the program of the start runs")
	case !c.canAsk():
		return nil, nil, refused("this is not the program that saturate mcp was started with, " +
			"and the client cannot ask the user; " +
			"leave `command` out, or restart saturate mcp with the program after --")
	}
	shown, _ := json.Marshal(cleanList(wanted, 400))
	return nil, &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{question: &sdk.ElicitParams{
		Mode: "form",
		Message: "An agent wants saturate to run another program than the one you started it with. As an argument list: " +
			string(shown),
		RequestedSchema: &jsonschema.Schema{
			Type: "object", Required: []string{"allow"},
			Properties: map[string]*jsonschema.Schema{"allow": {
				Type: "boolean", Title: "Run this program",
				Description: "It runs with your rights, until saturate mcp ends.",
			}},
		},
	}}}, nil
}

// canAsk reports whether the client can show a form to the user.
func (c *call) canAsk() bool {
	params := c.request.Session.InitializeParams()
	if params == nil || params.Capabilities == nil || params.Capabilities.Elicitation == nil {
		return false
	}
	e := params.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil
}
