package timeline

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/bits"
	"os"
	"path/filepath"

	"saturate/internal/analyze"
	"saturate/internal/files"
	"saturate/internal/trace"
)

// Version changes when the files on disk do.
const Version = 2

// header is index.json.
type header struct {
	Version int        `json:"version"`
	SpanNS  int64      `json:"span_ns"`
	Events  int        `json:"events"` // of the trace itself
	Total   int        `json:"total"`  // with steps, gaps and the critical path
	Top     int        `json:"top"`    // the level at which the trace is one tile
	Groups  []Group    `json:"groups"`
	Inputs  []shapes   `json:"inputs,omitempty"`
	Configs []geometry `json:"configs,omitempty"`
}

// small is how many events a group may have without stored tiles: all of them are read for each tile.
const small = 2048

// builder writes the files of one trace.
type builder struct {
	t     *trace.Trace
	base  int64 // the trace's first time
	head  header
	dir   string
	names *names

	events, extras, tiles *bufio.Writer
	extraAt, tileAt       int64
	seen                  extraTables
	buf                   []byte
}

// Build writes the timeline of a trace into a folder, which must exist and be empty.
func Build(ctx context.Context, t *trace.Trace, a *analyze.Analysis, dir string) error {
	b := &builder{t: t, base: t.Window().Start, dir: dir, names: newNames(t)}
	b.head = header{Version: Version, SpanNS: max(1, t.Window().Length()), Events: t.Len(), Top: coarsest(t.Window().Length())}
	b.extraAt = 1 // 0 is none
	var open []*os.File
	for name, w := range map[string]**bufio.Writer{"events.bin": &b.events, "extras.bin": &b.extras, "tiles.bin": &b.tiles} {
		f, err := files.Create(filepath.Join(dir, name), 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		open = append(open, f)
		*w = bufio.NewWriterSize(f, 1<<20)
	}
	b.extras.WriteByte(0)
	for i := range t.Tracks() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := b.track(&t.Tracks()[i]); err != nil {
			return err
		}
	}
	for _, g := range b.derived(a) {
		if err := b.made(g); err != nil {
			return err
		}
	}
	b.head.Inputs, b.head.Configs = b.seen.inputs, b.seen.configs
	for _, w := range []*bufio.Writer{b.events, b.extras, b.tiles} {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	for _, f := range open {
		if err := f.Close(); err != nil {
			return err
		}
	}
	if err := b.names.write(filepath.Join(dir, "names.bin")); err != nil {
		return err
	}
	data, err := json.Marshal(b.head)
	if err != nil {
		return err
	}
	return files.WriteMode(filepath.Join(dir, "index.json"), data, 0o600)
}

// track writes the events of a thread or a stream.
func (b *builder) track(track *trace.Track) error {
	g := Group{Name: track.String(), Device: -1, First: uint32(track.First), Last: uint32(track.Last)}
	switch track.Domain {
	case trace.Stream:
		g.Sort, g.Device = "gpu", int(track.Device)
	case trace.StreamNotes:
		g.Sort, g.Device, g.Name = "notes", int(track.Device), g.Name+" ranges"
	case trace.HostThread:
		g.Sort = "host"
	default:
		g.Sort = "frame"
	}
	b.group(g, func(i uint32) record {
		id := trace.EventID(i)
		r := record{
			start: b.t.Start(id) - b.base, dur: b.t.Duration(id), name: uint32(b.t.NameID(id)),
			parent: uint32(b.t.Parent(id)), link: none, kind: b.t.Kind(id), extra: b.extra(id),
		}
		if r.kind.Work() {
			if launch, ok := b.t.Launch(id); ok {
				r.link = uint32(launch)
			}
		} else if r.kind.API() || r.kind == trace.CPUOp {
			for work := range b.t.Launched(id) {
				r.link = uint32(work)
				break
			}
		}
		return r
	})
	return b.flushed()
}

// group writes a group's events and its tiles. make returns each event once, by start.
func (b *builder) group(g Group, make func(i uint32) record) {
	if g.First == g.Last {
		return
	}
	n := int(g.Last - g.First)
	number := uint16(len(b.head.Groups))
	var places lanes
	kept := keeper{wanted: n/2 + 1, shift: b.firstShift(n)}
	for i := g.First; i < g.Last; i++ {
		r := make(i)
		r.group, r.lane = number, places.place(r.start, r.start+max(r.dur, 1))
		if r.lane == 0 {
			g.BusyNS += r.dur
		}
		if (i-g.First)%sampled == 0 {
			g.Starts = append(g.Starts, r.start)
		}
		b.names.count(&r, i)
		b.buf = r.append(b.buf[:0])
		b.events.Write(b.buf)
		if n > small {
			kept.add(r.item(i), b.head.Top)
		}
	}
	g.Lanes = len(places.ends)
	if n > small {
		b.levels(&g, kept.shift, merge(kept.folders))
	}
	b.head.Groups = append(b.head.Groups, g)
	b.head.Total = int(g.Last)
}

// firstShift is the level at which a bucket holds about one event.
func (b *builder) firstShift(n int) int {
	return min(max(0, bits.Len64(uint64(b.head.SpanNS/int64(n)))), b.head.Top)
}

// keeper folds events as they come, and folds what it has again when it is too much.
type keeper struct {
	folders []folder
	held    int
	wanted  int
	shift   int
}

func (k *keeper) add(it item, top int) {
	for int(it.lane) >= len(k.folders) {
		k.folders = append(k.folders, folder{shift: k.shift})
	}
	f := &k.folders[it.lane]
	before := len(f.out)
	f.add(it)
	k.held += len(f.out) - before
	if k.held <= k.wanted || k.shift >= top {
		return
	}
	k.shift++
	k.held = 0
	for i := range k.folders {
		next := folder{shift: k.shift}
		for _, it := range k.folders[i].out {
			next.add(it)
		}
		k.folders[i] = next
		k.held += len(next.out)
	}
}

// levels writes the tiles of a group, from its finest level to the one that shows the whole trace in one tile.
func (b *builder) levels(g *Group, finest int, items []item) {
	for shift := finest; shift <= b.head.Top; shift++ {
		if shift > finest {
			items = fold(items, g.Lanes, shift)
		}
		l := level{Shift: shift}
		_ = tiled(items, shift, b.color, func(index int64, rects []byte) error {
			l.Tiles = append(l.Tiles, index, b.tileAt, int64(len(rects)/RectSize))
			b.tileAt += int64(len(rects))
			_, err := b.tiles.Write(rects)
			return err
		})
		g.Levels = append(g.Levels, l)
	}
}

func (b *builder) color(it item) uint8 { return palette(it.kind, b.names.shade(it.name)) }

// flushed reports an error that a writer met.
func (b *builder) flushed() error {
	for _, w := range []*bufio.Writer{b.events, b.extras, b.tiles} {
		if _, err := w.Write(nil); err != nil {
			return fmt.Errorf("cannot write the timeline in %s: %w", b.dir, err)
		}
	}
	return nil
}

// names collects all names with what each stands for in the trace.
type names struct {
	texts  []string
	number map[string]uint32 // of those that are not in the trace's own table
	stats  []nameStats
	shades []uint8
}

type nameStats struct {
	count   uint32
	longest uint32
	lasts   int64 // the longest
	total   int64
	kind    trace.Kind
}

func newNames(t *trace.Trace) *names {
	n := &names{number: map[string]uint32{}}
	for i := range t.Names() {
		n.push(t.String(trace.NameID(i)))
	}
	return n
}

func (n *names) push(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	n.texts = append(n.texts, text)
	n.stats = append(n.stats, nameStats{longest: none})
	n.shades = append(n.shades, uint8(h.Sum32()>>8))
	return uint32(len(n.texts) - 1)
}

// of is the number of a name that is not the trace's.
func (n *names) of(text string) uint32 {
	if i, ok := n.number[text]; ok {
		return i
	}
	i := n.push(text)
	n.number[text] = i
	return i
}

// shaded is of for a name that has a color of its own among those of its kind.
func (n *names) shaded(kind trace.Kind, text string, shade uint8) uint32 {
	key := string(rune(kind)) + "\x00" + text
	i, ok := n.number[key]
	if !ok {
		i = n.push(text)
		n.number[key] = i
	}
	n.shades[i] = shade
	return i
}

func (n *names) shade(name uint32) uint8 { return n.shades[name] }

func (n *names) count(r *record, id uint32) {
	s := &n.stats[r.name]
	s.count++
	s.total += r.dur
	if s.longest == none || r.dur > s.lasts {
		s.longest, s.lasts, s.kind = id, r.dur, r.kind
	}
}

func (n *names) write(path string) error {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(n.texts)))
	for i, text := range n.texts {
		s := n.stats[i]
		b = binary.LittleEndian.AppendUint32(b, s.count)
		b = binary.LittleEndian.AppendUint32(b, s.longest)
		b = binary.LittleEndian.AppendUint64(b, uint64(s.total))
		b = append(b, byte(s.kind), n.shades[i])
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
		b = append(b, text...)
	}
	return files.WriteMode(path, b, 0o600)
}
