// Package mcp offers the commands of saturate to coding agents, through the Model Context Protocol.
//
// A tool turns its arguments into one command line of saturate, runs it in this process, and makes a short Answer of
// the Report. So an agent sees the figures that a person sees, and leaves the same Runs.
//
//	server.go     the server and what it is started with
//	roots.go      which paths an agent may name
//	program.go    which program it may run
//	call.go       one call: its time, its progress, its command line
//	answer.go     what every tool answers, by one schema
//	fit.go        an answer cut to size, and strings from outside made harmless
//	resources.go  Runs, rules and patches, to be read where an answer links to them
//	window.go     pictures of parts of traces
//	complete.go   the values that a resource's address can have
//
// The guard against text that pretends to be an instruction is what the tools can do, not what the text may say: no
// tool writes to the project, and only the user's own program runs.
package mcp

import (
	"context"
	_ "embed"
	"io"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"saturate/internal/report"
	"saturate/internal/run"
)

// Options are what the user decides when the server is started.
type Options struct {
	Version  string
	Roots    []string      // folders that an agent may name paths in; the program runs in the first
	Program  []string      // that may run without a question; none when empty
	Limit    time.Duration // of one call
	Runs     string        // the folder of Runs
	Commands Commands
}

// Commands runs one command line of saturate, and tells how far it is.
type Commands func(ctx context.Context, args []string, told func(line string)) Result

// Result is what a command line came to.
type Result struct {
	Report  report.Report
	Exit    int      // as the process would have ended
	Problem string   // why there is no Report
	Printed []string // the last lines on stderr, where the user's program prints too
}

// Server answers one client.
type Server struct {
	opt       Options
	roots     roots
	server    *sdk.Server
	turn      chan struct{} // measurements side by side would disturb each other: one call at a time
	confirmed [][]string    // programs that the user allowed; used within a turn
}

//go:embed guide.md
var guide string

// New makes a server. The roots must exist.
func New(opt Options) (*Server, error) {
	r, err := openRoots(opt.Roots)
	if err != nil {
		return nil, err
	}
	s := &Server{opt: opt, roots: r, turn: make(chan struct{}, 1)}
	s.server = sdk.NewServer(&sdk.Implementation{Name: "saturate", Title: "saturate", Version: opt.Version},
		&sdk.ServerOptions{
			Instructions: guide, Capabilities: &sdk.ServerCapabilities{}, CompletionHandler: s.complete,
		})
	s.addTools()
	s.addResources()
	return s, nil
}

// Serve answers on a pair of streams until the client hangs up or ctx ends.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	defer s.roots.close()
	return s.server.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
}

// Connect answers on a transport of the SDK.
func (s *Server) Connect(ctx context.Context, t sdk.Transport) (*sdk.ServerSession, error) {
	return s.server.Connect(ctx, t, nil)
}

// find is the Run that an agent names: by id, by name, or "latest". Paths are not taken.
func (s *Server) find(name string) (run.Run, error) {
	if !isRunName(name) {
		return run.Run{}, refused("a run is named by its id, its name or \"latest\", not by a path")
	}
	return run.Named(s.opt.Runs, name)
}
