package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"saturate/internal/human"
	"saturate/internal/report"
)

// call is one use of a tool.
type call struct {
	server  *Server
	request *sdk.CallToolRequest
	began   time.Time
	mu      sync.Mutex
	last    float64  // progress that was told
	printed []string // the last lines of the command
}

// tool is a tool of the server. Its input schema is made of In.
type tool[In any] struct {
	name, title, about string
	sections           []string // fields of Answer that it fills besides the common ones
	runs               bool     // the user's program
	answer             func(ctx context.Context, c *call, in In) (Answer, error)
}

// errAsk carries a question to the user through the error path.
type errAsk struct{ result *sdk.CallToolResult }

func (errAsk) Error() string { return "the user has to be asked first" }

// addTool offers a tool: every call waits its turn, has a time limit, and answers by the schema.
func addTool[In any](s *Server, t tool[In]) {
	no := false
	sdk.AddTool(s.server, &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.about, OutputSchema: schemaOf(t.sections),
		Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint: !t.runs, DestructiveHint: &no, OpenWorldHint: &no,
			IdempotentHint: !t.runs,
		},
	}, func(ctx context.Context, request *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Answer, error) {
		ctx, cancel := context.WithTimeout(ctx, s.opt.Limit)
		defer cancel()
		c := &call{server: s, request: request, began: time.Now()}
		select {
		case s.turn <- struct{}{}:
			defer func() { <-s.turn }()
		case <-ctx.Done():
			return nil, Answer{}, ctx.Err()
		}
		a, err := t.answer(ctx, c, in)
		var ask errAsk
		if errors.As(err, &ask) {
			return ask.result, Answer{}, nil
		}
		if err != nil {
			a = failed(ctx, s.opt.Limit, err, a)
		}
		a = fit(a)
		return &sdk.CallToolResult{IsError: a.Status == Failed || a.Status == Refused}, a, nil
	})
}

// failed is the answer to a call that did not work out.
func failed(ctx context.Context, limit time.Duration, err error, a Answer) Answer {
	var no refusal
	switch {
	case errors.As(err, &no):
		a.Status, a.NextStep = Refused, NextStep{Why: "Change the arguments as the problem says, or ask the user."}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		a.Status, err = Failed, fmt.Errorf("stopped after %s, the time limit of a call", limit)
		a.NextStep = NextStep{Why: "Ask for fewer steps or pairs, or ask the user to start " +
			"saturate mcp with a larger --limit."}
	default:
		a.Status = Failed
		if a.NextStep.Why == "" {
			a.NextStep = NextStep{Why: "Read `problem` and `printed`, correct the cause, and call the tool again."}
		}
	}
	a.Problem = err.Error()
	return a
}

// command runs one command line of saturate. What it found is in the answer already; the tool adds its own sections.
func (c *call) command(ctx context.Context, args ...string) (report.Report, Answer, error) {
	result := c.server.opt.Commands(ctx, args, c.tell)
	c.printed = result.Printed
	a := Answer{Status: statusOf(result), Summary: result.Report.Summary, Warnings: result.Report.Warnings}
	for _, f := range result.Report.Figures {
		a.Figures = append(a.Figures, Figure{f.Name, f.Value, f.Note})
	}
	if result.Problem != "" {
		a.Printed = result.Printed
		return result.Report, a, errors.New(result.Problem)
	}
	return result.Report, a, nil
}

// tell passes on how far the work is. The protocol wants a number that only grows: the seconds since the call.
func (c *call) tell(line string) {
	token := c.request.Params.GetProgressToken()
	if token == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Since(c.began).Seconds()
	if now <= c.last {
		return
	}
	c.last = now
	_ = c.request.Session.NotifyProgress(context.Background(), &sdk.ProgressNotificationParams{
		ProgressToken: token,
		Progress:      now, Message: human.Data(line, 120),
	})
}

// orAsk is the error of a call that must not go on yet.
func orAsk(err error, ask *sdk.CallToolResult) error {
	if err != nil {
		return err
	}
	return errAsk{ask}
}
