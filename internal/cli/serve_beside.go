package cli

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/web"
)

// pageFlag is --serve of a command that takes long: a page that shows it at work.
type pageFlag struct {
	on     bool
	port   int
	chosen bool // a port was given: the browser is on another machine
}

func (p *pageFlag) define(fs *pflag.FlagSet) {
	flag := fs.VarPF(p, "serve", "", "show it in a browser while it runs; --serve=PORT "+
		"only prints the link, for an SSH tunnel")
	flag.NoOptDefVal = "true"
	onCommandLineOnly(fs, "serve")
}

func (p *pageFlag) String() string { return "" }

// Type makes the help show it as the switch that it mostly is.
func (p *pageFlag) Type() string { return "bool" }

func (p *pageFlag) Set(value string) error {
	if on, err := strconv.ParseBool(value); err == nil && len(value) > 1 { // 0 and 1 are ports
		p.on = on
		return nil
	}
	port, err := strconv.Atoi(value)
	p.on, p.port, p.chosen = true, port, true
	return err
}

// unopened is how long a page without a connection is taken to be open still: a reload takes less.
const unopened = 3 * time.Second

// open serves the folder of Runs beside the command. What it returns ends that; after a result, only when the last page
// is closed.
func (p *pageFlag) open(ctx context.Context, env *Env) (leave func(result bool), err error) {
	if !p.on {
		return func(bool) {}, nil
	}
	if p.port < 0 || p.port > 65535 {
		return nil, usage("--serve=PORT must be 0 to 65535")
	}
	o := serveOptions{port: p.port}
	opt, start, err := o.library(env, nil)
	if err != nil {
		return nil, err
	}
	library, err := web.NewLibrary(opt)
	if err != nil {
		return nil, err
	}
	listener, err := o.listen(env)
	if err != nil {
		library.Close()
		return nil, err
	}
	server, err := web.New(library, listener)
	if err != nil {
		library.Close()
		listener.Close()
		return nil, err
	}
	opened := make(chan struct{}, 1)
	server.OnUse(func() {
		select {
		case opened <- struct{}{}:
		default:
		}
	})
	serving, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(serving, listener)
	}()
	env.say("watch it at %s", server.Link(start))
	remove := func() {}
	if !p.chosen && env.StderrTerminal {
		remove = openBrowser(ctx, env, opt.Cache, server.Link(start))
	}
	return func(result bool) {
		if result && len(opened) > 0 && ctx.Err() == nil {
			env.say("the page stays until you close it; Ctrl-C ends it now")
			server.Wait(ctx, unopened)
		}
		stop()
		<-done
		remove()
		library.Close()
	}, nil
}
