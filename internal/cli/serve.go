package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/spf13/pflag"

	"saturate/internal/device"
	"saturate/internal/files"
	"saturate/internal/process"
	"saturate/internal/progress"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/trace/snapshot"
	"saturate/internal/version"
	"saturate/internal/view"
	"saturate/internal/web"
	"saturate/internal/whatif"
)

var serveCommand = command{
	name: "serve", group: show, args: "[RUN|TRACE|DIR…]", min: 0, max: -1,
	complete: completeTracesAndRuns, orFiles: true,
	short: "Show Runs and traces in a browser, live while a program runs",
	long: `Show Runs and traces in a browser, live while a program runs.

Without arguments, serve shows the Runs of the current project. A DIR is a folder of Runs or of traces.
The page is part of saturate and needs no network. It is served to this machine only, and only to the browser that
opens the link. Each link works once; serve then prints a new one on stderr.
A trace is read once; the data for its page is then kept in the cache folder.

On a remote machine, use an SSH tunnel: start "saturate serve --no-open --port 8765" there, and
"ssh -L 8765:127.0.0.1:8765 HOST" here, and open the link. --socket serves a unix socket that only you can open.`,
	example: `  saturate serve
  saturate serve trace.pt.trace.json.gz
  saturate serve --no-open --port 8765 runs/`,
	data:    serveData{},
	prepare: with(serveFlags, serve),
}

// serveData is what serve says when it ends.
type serveData struct {
	Served int `json:"served"` // how many times a link was used
}

type serveOptions struct {
	noOpen   bool
	port     int
	socket   string
	cache    string
	captures []string
}

func serveFlags(fs *pflag.FlagSet, o *serveOptions) {
	fs.BoolVar(&o.noOpen, "no-open", false, "print the link, and do not open a browser")
	fs.IntVar(&o.port, "port", 0, "port on 127.0.0.1; 0 takes a free one")
	fs.StringVar(&o.socket, "socket", "", "serve a unix socket at this `PATH` instead of a port")
	fs.StringVar(&o.cache, "cache", "", "`FOLDER` for imported traces (default: in the user's cache folder)")
	fs.StringSliceVar(&o.captures, "capture", nil, "`TRACES` (files or folders) recorded while the CUDA graphs of the served traces were captured")
	onCommandLineOnly(fs, "no-open", "port", "socket", "cache", "capture")
}

func serve(ctx context.Context, env *Env, o serveOptions, args []string) (report.Report, error) {
	if o.port < 0 || o.port > 65535 {
		return report.Report{}, usage("--port must be 0 to 65535")
	}
	opt, start, err := o.library(env, args)
	if err != nil {
		return report.Report{}, err
	}
	library, err := web.NewLibrary(opt)
	if err != nil {
		return report.Report{}, err
	}
	defer library.Close()
	listener, err := o.listen(env)
	if err != nil {
		return report.Report{}, err
	}
	defer listener.Close()
	server, err := web.New(library, listener)
	if err != nil {
		return report.Report{}, err
	}
	used := 0
	server.OnUse(func() {
		used++
		if env.Verbose >= 0 {
			env.say("opened. For another browser: %s", server.Link(start))
		}
	})
	fmt.Fprintln(env.Stdout, server.Link(start))
	if !o.noOpen && o.socket == "" {
		defer openBrowser(ctx, env, opt.Cache, server.Link(start))()
	}
	if env.Verbose >= 0 {
		env.say("press Ctrl-C to stop")
	}
	if err := server.Serve(ctx, listener); err != nil {
		return report.Report{}, err
	}
	return report.Report{Data: serveData{used}}, nil
}

func (o serveOptions) listen(env *Env) (net.Listener, error) {
	if o.socket == "" {
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port)))
		if err != nil {
			return nil, fmt.Errorf("cannot serve on port %d: %w; --port 0 takes a free one", o.port, errors.Unwrap(err))
		}
		return l, nil
	}
	path := env.path(o.socket)
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s exists; remove it first, or use another --socket", o.socket)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("cannot serve %s: %w", o.socket, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// library sorts what the user typed into Runs and traces, and says which page to begin with.
func (o serveOptions) library(env *Env, args []string) (opt web.Options, start string, err error) {
	opt = web.Options{
		Cache: o.cache, Version: version.Built().String(),
		Show:     func(runs []run.Run) (report.Report, error) { return showRuns(env, runs) },
		Compare:  compareRuns,
		Untraced: func(path string) *whatif.Untraced { return untracedOf(env, path) },
		Code:     env.Dir,
		Scan: func(ctx context.Context, dir string) (report.Report, error) {
			quiet := *env
			quiet.Dir, quiet.Progress = dir, &progress.Display{Quiet: true}
			return runScan(ctx, &quiet, scanOptions{}, nil)
		},
		GPUs: func(ctx context.Context) []device.GPUNow {
			return device.ReadGPUs(ctx, device.Host{Env: env.Vars, Dir: env.Dir})
		},
		CompareTraces: func(ctx context.Context, before, after []string) (report.Report, error) {
			quiet := *env
			quiet.Progress = &progress.Display{Quiet: true}
			return compareJobs(ctx, &quiet, before, after)
		},
		Snapshot: func(ctx context.Context, path string) (report.Report, []snapshot.Answer, error) {
			r, ok, err := analyzeSnapshot(ctx, env, []string{path}, 30)
			if !ok || err != nil {
				return r, nil, cmp.Or(err, fmt.Errorf("%s is not a torch memory snapshot", env.shown(path)))
			}
			return r, r.Data.(view.SnapshotData).GPUs, nil
		},
	}
	if opt.Cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return opt, "", fmt.Errorf("cannot find the cache folder: %w; use --cache FOLDER", err)
		}
		opt.Cache = filepath.Join(cache, "saturate", "timeline")
	} else {
		opt.Cache = env.path(opt.Cache)
	}
	for _, path := range o.captures {
		opt.Capture = append(opt.Capture, env.path(path))
	}
	opt.Live = []string{env.liveFolder(env.path(env.Config.Get("runs").Value))}
	if len(args) == 0 {
		opt.Folders = []string{env.path(env.Config.Get("runs").Value)}
		return opt, "/", nil
	}
	for _, arg := range args {
		path := env.path(arg)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			r, err := findRun(env, arg)
			if err != nil {
				return opt, "", fmt.Errorf("%s is not a file or folder, and %w", arg, err)
			}
			opt.Runs = append(opt.Runs, r.Dir)
		case err != nil:
			return opt, "", err
		case filepath.Base(path) == "run.json":
			opt.Runs = append(opt.Runs, filepath.Dir(path))
		case !info.IsDir():
			opt.Traces = append(opt.Traces, path)
		case isRun(path):
			opt.Runs = append(opt.Runs, path)
		case holdsRuns(path):
			opt.Folders = append(opt.Folders, path)
			opt.Live = append(opt.Live, env.liveFolder(path))
		default:
			opt.Traces = append(opt.Traces, path)
			if runs := filepath.Join(path, filepath.Base(env.Config.Get("runs").Value)); holdsRuns(runs) { // a project
				opt.Folders = append(opt.Folders, runs)
				opt.Live = append(opt.Live, env.liveFolder(runs))
			}
		}
	}
	if len(args) > 1 {
		return opt, "/", nil
	}
	library, err := web.NewLibrary(opt)
	if err != nil {
		return opt, "", err
	}
	defer library.Close()
	start, err = library.Start()
	return opt, start, err
}

func isRun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "run.json"))
	return err == nil
}

// holdsRuns reports whether a folder is one of Runs.
func holdsRuns(dir string) bool {
	runs, err := run.List(dir)
	if err != nil {
		return false
	}
	for _, r := range runs {
		if r.State != run.Damaged {
			return true
		}
	}
	return false
}

// openBrowser asks the system to open a link. The link itself is in a file that only the user can read: the arguments
// of a program are seen by everybody on the machine. It returns what removes the file.
func openBrowser(ctx context.Context, env *Env, cache, link string) (remove func()) {
	remove = func() {}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		env.say("cannot open a browser: %v; open the link above", err)
		return remove
	}
	page := filepath.Join(cache, fmt.Sprintf("open-%d.html", os.Getpid()))
	html := `<!doctype html><meta charset="utf-8"><title>saturate</title><meta http-equiv="refresh" content="0;url=` + link + `">`
	if err := files.WriteMode(page, []byte(html), 0o600); err != nil {
		env.say("cannot open a browser: %v; open the link above", err)
		return remove
	}
	remove = func() { os.Remove(page) }
	name, args := "xdg-open", []string{page}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", page}
	}
	command := process.Command(ctx, name, args...)
	if err := command.Start(); err != nil {
		env.say("cannot open a browser; open the link above")
		return remove
	}
	go func() { _ = command.Wait() }()
	return remove
}
