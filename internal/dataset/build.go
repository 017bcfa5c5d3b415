package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/progress"
)

// builder is one build on its way.
type builder struct {
	opt        Options
	list       *List
	shape      shape
	form       format
	out        *output
	journal    *journal
	attributes []attribute
	columns    []column
	results    []outcome
	decoder    *decoder
	stat       stages
	steps      *steps
	inOrder    bool
	fresh      bool          // no earlier run had finished anything
	beginning  time.Duration // how long it took to open the output and take over what earlier runs finished

	todo  []int
	turn  atomic.Int64 // the next of todo to take
	left  atomic.Int64 // of todo, not yet finished
	free  *pile[*slot]
	ready chan *slot // decoded and placed

	parcels  *pile[*parcel]
	computed chan *parcel   // by a Starter, to be written
	started  sync.WaitGroup // parcels that a Starter has

	places *places
	ahead  readAhead
	stop   context.CancelCauseFunc
}

// Build makes the output. A build that was interrupted goes on.
func Build(ctx context.Context, list *List, opt Options) (Result, error) {
	b, err := prepare(list, opt)
	if err != nil {
		return Result{}, err
	}
	r := b.describe()
	complete, err := b.existing(&r)
	if err != nil {
		return r, err
	}
	if complete {
		os.Remove(journalName(b.opt.Output)) // a run was killed at the very last moment
		return r, nil
	}
	defer b.close()
	start := time.Now()
	if err := b.begin(); err != nil {
		if b.fresh { // nothing was there, and nothing is left
			b.removeParts()
		}
		return r, err
	}
	r.Resumed = len(list.Items) - len(b.todo)
	b.beginning = time.Since(start)
	device, err := b.run(ctx)
	r.Device, r.WallSeconds = device, time.Since(start).Seconds()
	b.report(&r)
	if err != nil {
		return r, b.stopped(err)
	}
	if err := b.finish(&r); errors.Is(err, errNothing) {
		return r, b.discard(r.Failed)
	} else if err != nil {
		return r, b.stopped(err)
	}
	r.Complete, r.outcomes = true, b.results
	r.WallSeconds = time.Since(start).Seconds()
	b.rates(&r)
	return r, nil
}

// errNothing says that no file could be used.
var errNothing = errors.New("no file can be used")

// discard leaves nothing behind where no file could be used: an output without a usable row is not one.
func (b *builder) discard(failed []Failed) error {
	b.close()
	b.removeParts()
	first := failed[0]
	if len(failed) == 1 {
		return fmt.Errorf("%s cannot be used: %s; nothing was written", first.Path, first.Reason)
	}
	return fmt.Errorf("none of the %s can be used, %s for one: %s; nothing was written", human.Plural(len(failed), "file"),
		first.Path, first.Reason)
}

func (b *builder) removeParts() {
	os.Remove(journalName(b.opt.Output))
	os.RemoveAll(b.out.part)
}

// prepare checks everything that can be checked before anything is written.
func prepare(list *List, opt Options) (*builder, error) {
	if err := opt.settle(); err != nil {
		return nil, err
	}
	s, err := newShape(opt)
	if err != nil {
		return nil, err
	}
	b := &builder{opt: opt, list: list, shape: s, results: make([]outcome, len(list.Items))}
	if b.form, err = newFormat(opt, s, list); err != nil {
		return nil, err
	}
	b.inOrder = s.ordered() || b.form.ordered()
	b.attributes, b.columns = attributes(opt, s, list), columns(list, s, opt.Checksum)
	return b, nil
}

// begin opens the output and takes over what earlier runs finished.
func (b *builder) begin() (err error) {
	final := b.opt.Output
	if err := os.MkdirAll(filepath.Dir(PartName(final)), 0o755); err != nil {
		return fmt.Errorf("cannot create the output folder: %w; choose another with --output", err)
	}
	if b.journal, err = openJournal(journalName(final), bootID(), b.settings(), b.list.Items, b.results,
		b.opt.Replace); err != nil {
		return err
	}
	b.out = &output{final: final, part: PartName(final), folder: b.form.folder(), name: b.form.file, buffer: b.opt.buffer}
	b.fresh = !slices.ContainsFunc(b.results, func(o outcome) bool { return o.state != todo })
	if _, err := os.Stat(b.out.part); err != nil && !b.fresh {
		clear(b.results) // somebody removed the rows
		b.fresh = true
	}
	if info, err := os.Lstat(b.out.part); err == nil && info.IsDir() && b.journal.new && !isEmptyFolder(b.out.part) {
		os.Remove(journalName(final))
		b.fresh = false // what is there is somebody else's
		return fmt.Errorf("%s is a non-empty folder and not an unfinished output; remove it, or choose another output",
			b.out.part)
	}
	if b.fresh && !b.roomThere() {
		if err := os.RemoveAll(b.out.part); err != nil {
			return fmt.Errorf("cannot write the output: %w; choose another with --output", err)
		}
	}
	for i := range b.results {
		if b.results[i].state == todo {
			b.todo = append(b.todo, i)
		}
	}
	if err := b.enoughSpace(); err != nil {
		return err
	}
	if err := b.form.begin(b.out); err != nil {
		return err
	}
	return b.mapOutput()
}

// roomThere reports whether a file is there already that every byte of the output will be written to: made by the user so
// that its room on the disk is had beforehand, or left by a build with other settings.
func (b *builder) roomThere() bool {
	info, err := os.Lstat(b.out.part)
	return err == nil && info.Mode().IsRegular() && !b.inOrder && !b.out.folder
}

// mapOutput has rows written as memory where that was asked for, or pays.
func (b *builder) mapOutput() error {
	switch {
	case b.opt.Map == MapNo:
		return nil
	case b.inOrder && b.opt.Map == MapYes:
		return errors.New("--map yes needs --layout fixed without --segment, in hdf5, npy or parquet")
	case b.inOrder || len(b.list.Items) == 0:
		return nil
	case b.opt.Map == MapAuto:
		if f, err := b.out.file(0); err != nil || !mappingPays(f, min(b.opt.Workers, runtime.GOMAXPROCS(0))) {
			return err
		}
	}
	first, _ := b.extent(0)
	_, end := b.extent(len(b.list.Items) - 1)
	err := b.out.mapTo(first, end)
	switch {
	case b.opt.Map == MapAuto && (errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOMEM)):
		return nil // plain writes do
	case err != nil:
		return fmt.Errorf("cannot reserve disk space for the output: %w", err)
	}
	return nil
}

// cursorOf is the place of an item where all items have one row of the same size.
func (b *builder) cursorOf(item int) cursor {
	row := int64(item)
	return cursor{row: row, values: row * int64(b.shape.params.Mels) * int64(b.shape.frames(b.shape.length))}
}

// extent is where the row of an item begins and ends in its file, in such an output.
func (b *builder) extent(item int) (from, to int64) {
	c, rec := b.cursorOf(item), record{}
	b.form.place(&c, b.row(item, &outcome{state: done}, c.row, 0, &rowInfo{}), &rec)
	return rec.at, rec.at + rec.size()
}

// enoughSpace refuses to begin what cannot be finished.
func (b *builder) enoughSpace() error {
	if b.inOrder {
		return nil
	}
	need := int64(len(b.todo)) * 2 * int64(b.shape.params.Mels) * int64(b.shape.frames(b.shape.length))
	dir := filepath.Dir(PartName(b.opt.Output))
	if free := files.Room(dir); free >= 0 && need > free {
		return fmt.Errorf("%s has %s free, but the rows need %s; free some space, or choose another output with --output",
			dir, human.Bytes(free), human.Bytes(need))
	}
	return nil
}

func (b *builder) close() {
	if b.out != nil {
		b.out.release()
	}
	if b.journal != nil {
		b.journal.close()
	}
}

// run makes all rows that are missing.
func (b *builder) run(ctx context.Context) (device string, err error) {
	tars, err := openTars(b.list, b.opt)
	defer func() {
		for _, f := range tars {
			f.Close()
		}
	}()
	if err != nil {
		return "", fmt.Errorf("cannot read the archive: %w", err)
	}
	ctx, b.stop = context.WithCancelCause(ctx)
	defer b.stop(nil)
	b.decoder = &decoder{opt: b.opt, shape: b.shape, list: b.list, tars: tars}
	b.ahead = readAhead{open: map[int]source{}, taken: -1}
	b.steps = newSteps(len(b.todo))
	b.left.Store(int64(len(b.todo)))
	workers := make([]*worker, b.opt.Workers)
	for i := range workers {
		if workers[i], err = b.newWorker(); err != nil {
			return "", err
		}
	}
	n := b.opt.inHand()
	if workers[0].starter != nil {
		n += lead * b.opt.Workers
	}
	n = max(1, min(n, len(b.todo)))
	b.free, b.ready = newPile[slot](n), make(chan *slot, n+1)
	b.parcels, b.computed = newPile[parcel](n+b.opt.Workers), make(chan *parcel, n+b.opt.Workers)
	if b.inOrder {
		b.places = newPlaces(b.results, b.move)
	}
	if len(b.todo) == 0 {
		close(b.ready)
	}
	var group sync.WaitGroup
	for _, w := range workers {
		group.Go(func() {
			if err := w.work(ctx); err != nil {
				b.stop(err)
			}
			if err := w.computer.Close(); err != nil {
				b.stop(err)
			}
		})
	}
	watched := make(chan struct{})
	watching := b.watch(watched)
	group.Wait()
	b.started.Wait() // after an error, what is on its way still uses the rows' memory
	close(watched)
	watching.Wait()
	b.ahead.close()
	if b.out.mapping != nil {
		b.out.mapping.halt()
	}
	if ctx.Err() != nil {
		return workers[0].computer.Name(), context.Cause(ctx)
	}
	return workers[0].computer.Name(), nil
}

// lead is how many more files each worker of a Starter may hold: instead of waiting for its rows it reads another file.
// With one the GPU waits as well (24,000 rows a second beside an H200 that made 30,000 with four).
const lead = 4

// flushEvery is how much work a loss of power can cost.
const flushEvery = 5 * time.Second

// watch shows progress, and flushes rows to the disk from time to time.
func (b *builder) watch(ended chan struct{}) *sync.WaitGroup {
	display := b.opt.Progress
	if display == nil {
		display = &progress.Display{Quiet: true}
	}
	task := display.Start("features", "files", int64(len(b.todo)))
	start := time.Now()
	var group sync.WaitGroup
	group.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				task.Done()
				return
			case <-tick.C:
				s := time.Since(start).Seconds()
				task.Set(b.stat.files.Load())
				task.Note(fmt.Sprintf("%.0f× real time, read %s, wrote %s%s",
					float64(b.stat.samples.Load())/float64(b.shape.params.SampleRate)/s,
					human.Value(float64(b.stat.bytesIn.Load())/s, "B/s"), human.Value(float64(b.stat.bytesOut.Load())/s,
						"B/s"), badNote(b.stat.bad.Load())))
			}
		}
	})
	if b.opt.Fsync && bootID() != "" {
		group.Go(func() {
			tick := time.NewTicker(flushEvery)
			defer tick.Stop()
			for {
				select {
				case <-ended:
					return
				case <-tick.C:
					if err := b.journal.flush(b.out.sync); err != nil {
						b.stop(err)
						return
					}
				}
			}
		})
	}
	return &group
}

func badNote(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d quarantined", n)
}
