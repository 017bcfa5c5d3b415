package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"saturate/internal/files"
	"saturate/internal/process"
)

const (
	mostServers = 6               // that are given up before nothing is forked any more
	importing   = 3 * time.Minute // that the imports may take
	chunk       = 500             // names in a message
)

// server is a process that forks.
type server struct {
	path    string // of the interpreter
	line    commandLine
	environ []string
	key     string // of what it is started with
	hash    string // the PYTHONHASHSEED of its programs; empty where any will do
	cmd     *exec.Cmd
	talk    *net.UnixConn
	asked   map[string]bool // modules
	answers chan imported
	gone    chan struct{}

	mu   sync.Mutex
	jobs map[int]chan float64 // CPU seconds of programs that have ended
}

// imported is an answer of the server.
type imported struct {
	Job     int                `json:"job"`
	CPU     float64            `json:"cpu"`
	Unsafe  string             `json:"unsafe"`
	Module  string             `json:"module"`
	Environ map[string]*string `json:"environ"`
}

// job is a program that is about to be forked.
type job struct {
	socket *os.File // for whoever waits for the program
	line   commandLine
	used   chan float64
	alone  *server // that forks nothing else; nil where others follow
}

// job prepares to fork a program that would be started by cmd; nil where it has to be started.
func (f *Forks) job(ctx context.Context, cmd *exec.Cmd, inside string) *job {
	if f == nil || cmd.Err != nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.from != nil {
		return f.turn(ctx, cmd, inside)
	}
	line, ok := f.ready(ctx, cmd, inside)
	if !ok {
		return nil
	}
	j, err := f.running.begin(f.count + 1)
	if err != nil {
		f.drop()
		return nil
	}
	f.count++
	j.line = line
	return j
}

// warm starts a server for programs that are started like cmd, which has just ended, while the caller goes on.
func (f *Forks) warm(cmd *exec.Cmd, inside string) {
	if f == nil || f.from != nil || cmd.Err != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	if before := f.warming.Swap(&cancel); before != nil {
		(*before)()
	}
	go func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.running == nil {
			f.ready(ctx, cmd, inside)
		}
	}()
}

// ready sees to it that a server runs that programs like cmd can be forked from; false where they cannot be.
func (f *Forks) ready(ctx context.Context, cmd *exec.Cmd, inside string) (line commandLine, ok bool) {
	line, ok = pythonLine(cmd.Args)
	if !ok || f.obstacle != "" || f.learnt[cmd.Path] == nil {
		return line, false
	}
	for f.obstacle == "" && ctx.Err() == nil {
		again, err := f.prepare(ctx, line, cmd, inside)
		switch {
		case ctx.Err() != nil:
			f.drop()
			return line, false
		case err != nil:
			f.obstacle = err.Error()
		case !again:
			return line, true
		}
		f.drop()
		if f.tries++; f.tries >= mostServers && f.obstacle == "" {
			f.obstacle = "importing " + strings.Join(f.barred, ", ") + " starts threads or CUDA"
		}
	}
	return line, false
}

// prepare sees to it that a server runs that has imported what the program imports. again: another one has to be
// started.
func (f *Forks) prepare(ctx context.Context, line commandLine, cmd *exec.Cmd, inside string) (again bool, err error) {
	known := f.learnt[cmd.Path]
	if err := f.serve(line, cmd, inside, known); err != nil {
		return false, err
	}
	late := len(f.running.asked) > 0 // others were forked from it, and more can be without what is new
	var answer imported
	want := f.missing(known)
	for len(want) > 0 {
		names := want[:min(chunk, len(want))]
		if answer, err = f.running.imports(ctx, names, late); err != nil {
			return false, err
		}
		switch {
		case answer.Unsafe == "":
			for _, name := range names {
				f.running.asked[name] = true
			}
		case late:
			f.bar(answer.Module)
		default:
			f.bar(answer.Module)
			return true, nil
		}
		want = f.missing(known)
	}
	return answer.Environ != nil && f.sets(known, answer), nil
}

// missing is what the server at hand has still to import.
func (f *Forks) missing(known *Imports) (names []string) {
	for _, name := range known.Modules {
		if !f.running.asked[name] && !barredFrom(f.barred, name) {
			names = append(names, name)
		}
	}
	return names
}

// serve sees to it that a server runs for programs like cmd.
func (f *Forks) serve(line commandLine, cmd *exec.Cmd, inside string, known *Imports) (err error) {
	want := f.like(line, cmd, inside, known)
	if s := f.running; s != nil && (!s.fits(want) || s.ended()) {
		f.drop()
	}
	if f.running == nil {
		f.running, err = startServer(want)
	}
	return err
}

// like is the server that programs like cmd can be forked from.
func (f *Forks) like(line commandLine, cmd *exec.Cmd, inside string, known *Imports) *server {
	environ, hash := f.environ(cmd.Env, known)
	s := &server{path: cmd.Path, line: line, hash: hash}
	search := append([]string{inside}, packagesApart(cmd.Env)...)
	s.key = strings.Join(slices.Concat([]string{cmd.Path}, line.options, search, slices.Sorted(slices.Values(environ))), "\x00")
	s.environ = append(environ, "PYTHONPATH="+strings.Join(search, string(os.PathListSeparator)), hashSeed+"="+cmp.Or(hash, likelySeed))
	return s
}

// packagesApart are the folders of a PYTHONPATH that pip install --target has filled. Libraries look while they are imported
// which others are installed, so a server must find what its programs find. The project's own folders are left out: they
// differ from tree to tree.
func packagesApart(environ []string) (list []string) {
	search, _ := lookup(environ, "PYTHONPATH")
	var h homeSettings
	if text, set := lookup(environ, homeVariable); set {
		_ = json.Unmarshal([]byte(text), &h) // ours
	}
	for _, folder := range filepath.SplitList(search) {
		found, _ := filepath.Glob(filepath.Join(folder, "*.dist-info"))
		if filepath.IsAbs(folder) && len(found) > 0 && (h.Root == "" || !files.Inside(files.Real(folder), files.Real(h.Root))) {
			list = append(list, folder)
		}
	}
	return list
}

// fits reports whether a server can fork what another could.
func (s *server) fits(want *server) bool {
	return s.key == want.key && (want.hash == "" || cmp.Or(s.hash, likelySeed) == want.hash)
}

// sets remembers which variables the program itself has set: those that no import sets. It reports whether there are new
// ones.
func (f *Forks) sets(known *Imports, answer imported) (news bool) {
	for name := range known.Environ {
		if _, byImport := answer.Environ[name]; !byImport && !slices.Contains(f.set, name) &&
			!strings.HasPrefix(name, "PYTHON") && !strings.HasPrefix(name, "SATURATE") {
			f.set, news = append(f.set, name), true
		}
	}
	return news
}

// hashSeed is the variable that strings are hashed by. Where a program has none, any will do: likelySeed, which the
// programs that are measured later have, so that they need no other server.
const (
	hashSeed   = "PYTHONHASHSEED"
	likelySeed = "1"
)

// environ is what a server starts with: the program's variables, except for what belongs to one run, and what the program
// sets before it imports.
func (f *Forks) environ(of []string, known *Imports) (list []string, hash string) {
	if of == nil {
		of = os.Environ()
	}
	last := map[string]string{}
	for _, entry := range of {
		name, value, _ := strings.Cut(entry, "=")
		last[name] = value
	}
	for _, name := range f.set {
		if value := known.Environ[name]; value != nil {
			last[name] = *value
		} else {
			delete(last, name)
		}
	}
	for name, value := range last {
		if name != "SATURATE_PROBE" && name != homeVariable && name != "PYTHONPATH" && name != hashSeed && !slices.Contains(noCompile, name) {
			list = append(list, name+"="+value)
		}
	}
	return list, last[hashSeed]
}

func startServer(s *server) (*server, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("no socket for a fork server: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "fork server"), os.NewFile(uintptr(ends[1]), "fork server")
	defer ours.Close()
	defer theirs.Close()
	talk, err := net.FileConn(ours)
	if err != nil {
		return nil, err
	}
	const code = "from saturate_probe.forks import serve; serve(3)()"
	cmd := process.Command(context.Background(), s.path, append(slices.Clone(s.line.options), "-c", code)...)
	cmd.Args[0] = s.line.program
	cmd.Dir, cmd.Env, cmd.ExtraFiles = process.Neutral(), s.environ, []*os.File{theirs}
	process.Own(cmd)
	if err := cmd.Start(); err != nil {
		talk.Close()
		return nil, fmt.Errorf("cannot start a fork server: %w", err)
	}
	s.cmd, s.talk, s.asked, s.answers = cmd, talk.(*net.UnixConn), map[string]bool{}, make(chan imported, 1)
	s.gone, s.jobs = make(chan struct{}), map[int]chan float64{}
	go s.listen()
	return s, nil
}

// listen hands on what the server says until it is gone.
func (s *server) listen() {
	defer close(s.gone)
	buffer := make([]byte, 1<<20)
	for {
		n, err := s.talk.Read(buffer)
		if err != nil || n == 0 {
			return
		}
		var a imported
		switch err := json.Unmarshal(buffer[:n], &a); {
		case err != nil:
		case a.Job > 0:
			s.mu.Lock()
			if used := s.jobs[a.Job]; used != nil {
				used <- a.CPU
				delete(s.jobs, a.Job)
			}
			s.mu.Unlock()
		default:
			s.answers <- a
		}
	}
}

func (s *server) ended() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

func (s *server) imports(ctx context.Context, names []string, late bool) (imported, error) {
	text, err := json.Marshal(map[string]any{"import": names, "try": late})
	if err != nil {
		return imported{}, err
	}
	if _, err := s.talk.Write(text); err != nil {
		return imported{}, fmt.Errorf("the fork server does not answer: %w", err)
	}
	select {
	case a := <-s.answers:
		return a, nil
	case <-s.gone:
		return imported{}, errors.New("the fork server failed to import what the program imports")
	case <-ctx.Done():
		return imported{}, ctx.Err()
	case <-time.After(importing):
		return imported{}, fmt.Errorf("the imports took more than %v", importing)
	}
}

// begin asks the server to fork.
func (s *server) begin(number int) (*job, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(ends[1])
	j := &job{socket: os.NewFile(uintptr(ends[0]), "fork"), used: make(chan float64, 1)}
	s.mu.Lock()
	s.jobs[number] = j.used
	s.mu.Unlock()
	if _, _, err := s.talk.WriteMsgUnix([]byte(fmt.Sprintf(`{"job": %d}`, number)), unix.UnixRights(ends[1]), nil); err != nil {
		j.socket.Close()
		return nil, err
	}
	return j, nil
}

// fork is what the starter of the program is told.
func (j *job) fork() *process.Fork {
	return &process.Fork{Socket: j.socket, Options: j.line.options, Args: j.line.args}
}

// started leaves the socket to the process that waits for the program: it is closed when that ends.
func (j *job) started() {
	if j != nil {
		j.socket.Close()
	}
}

func (j *job) close() {
	j.socket.Close()
	if j.alone != nil {
		j.alone.close()
	}
}

// cpu is how much CPU time the program has taken, with all the processes that it has waited for.
func (j *job) cpu() float64 {
	if j == nil {
		return 0
	}
	select {
	case used := <-j.used:
		return used
	case <-time.After(time.Second):
		return 0
	}
}

// Close ends the server.
func (f *Forks) Close() {
	if f == nil {
		return
	}
	if cancel := f.warming.Load(); cancel != nil {
		(*cancel)()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop()
}

// drop ends the server that runs, and those that wait.
func (f *Forks) drop() {
	for _, s := range f.waiting {
		s.close()
	}
	if f.running != nil {
		f.running.close()
	}
	f.waiting, f.running = nil, nil
}

// close ends a server, and what it has forked.
func (s *server) close() {
	s.talk.Close()
	_ = process.Kill(s.cmd)
	_ = s.cmd.Wait()
}
