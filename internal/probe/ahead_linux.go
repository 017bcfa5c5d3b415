package probe

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"sync"

	"saturate/internal/device"
)

const (
	fewestAhead = 2       // servers that import at once: for a pair
	mostAhead   = 6       // a proof of six pairs needs a multiple of it
	roomAhead   = 2 << 30 // bytes of memory for each
)

// turn forks a program from the next server that waits for one. Where none does, some import at once. nil where it has to
// be started.
func (f *Forks) turn(ctx context.Context, cmd *exec.Cmd, inside string) *job {
	line, ok := pythonLine(cmd.Args)
	known := f.beforehand(cmd.Path)
	if !ok || known == nil || f.obstacle != "" {
		return nil
	}
	j, err := f.next(ctx, known, func() *server { return f.like(line, cmd, inside, known) })
	if err != nil {
		if ctx.Err() == nil {
			f.obstacle = err.Error()
		}
		f.drop()
		return nil
	}
	f.count++
	j.line = line
	return j
}

// beforehand is what a program imports, and sets before it does; nil where no program like it was forked yet.
func (f *Forks) beforehand(path string) *Imports {
	from := f.from
	from.mu.Lock()
	defer from.mu.Unlock()
	known := from.learnt[path]
	if known == nil || from.obstacle != "" || from.count == 0 {
		return nil
	}
	f.set = from.set
	barred := func(name string) bool { return barredFrom(from.barred, name) }
	return &Imports{Modules: slices.DeleteFunc(slices.Clone(from.first[path]), barred), Environ: known.Environ}
}

func (f *Forks) next(ctx context.Context, known *Imports, like func() *server) (*job, error) {
	if len(f.waiting) == 0 {
		if err := f.ahead(ctx, known.Modules, like); err != nil {
			return nil, err
		}
	}
	s := f.waiting[0]
	if !s.fits(like()) {
		return nil, errors.New("the programs have different environments")
	}
	f.waiting = f.waiting[1:]
	j, err := s.begin(1)
	if err != nil {
		s.close()
		return nil, err
	}
	j.alone = s
	return j, nil
}

// ahead lets some servers import, and waits for all of them: none may do so while a program is measured.
func (f *Forks) ahead(ctx context.Context, modules []string, like func() *server) error {
	n := together(device.Host{})
	failed := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		s, err := startServer(like())
		if err != nil {
			failed[i] = err
			break
		}
		f.waiting = append(f.waiting, s)
		all.Go(func() { failed[i] = s.takesIn(ctx, modules) })
	}
	all.Wait()
	return errors.Join(failed...)
}

// takesIn lets a server import some modules.
func (s *server) takesIn(ctx context.Context, modules []string) error {
	for names := range slices.Chunk(modules, chunk) {
		answer, err := s.imports(ctx, names, false)
		if err == nil && answer.Unsafe != "" {
			err = errors.New(answer.Module + " " + answer.Unsafe + " when it is imported")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// together is how many servers import at once: as many as there are cores and room for.
func together(system device.System) int {
	p := device.FindProcessor(context.Background(), system)
	n := int(p.Allowed)
	if p.MemoryAvailableBytes > 0 {
		n = min(n, int(p.MemoryAvailableBytes/roomAhead))
	}
	n = min(max(n, fewestAhead), mostAhead)
	return n - n%2
}
