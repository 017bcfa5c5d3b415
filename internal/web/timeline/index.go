package timeline

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"saturate/internal/files"
	"saturate/internal/trace"
)

// Index is a timeline on disk. It may be used by many goroutines.
type Index struct {
	head   header
	texts  []string
	stats  []nameStats
	shades []uint8

	events, extras, tiles *os.File
}

// Limits on what is read whole.
const (
	mostIndex = 1 << 30
	mostNames = 1 << 30
)

// Open opens the timeline in a folder.
func Open(dir string) (*Index, error) {
	x := &Index{}
	data, err := files.Read(filepath.Join(dir, "index.json"), mostIndex)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &x.head); err != nil {
		return nil, fmt.Errorf("the timeline in %s is damaged: %w", dir, err)
	}
	if x.head.Version != Version {
		return nil, fmt.Errorf("the timeline in %s is of another version", dir)
	}
	if err := x.readNames(filepath.Join(dir, "names.bin")); err != nil {
		return nil, err
	}
	for name, f := range map[string]**os.File{"events.bin": &x.events, "extras.bin": &x.extras, "tiles.bin": &x.tiles} {
		if *f, err = files.Open(filepath.Join(dir, name)); err != nil {
			return nil, errors.Join(err, x.Close())
		}
	}
	return x, nil
}

// Close closes the files.
func (x *Index) Close() error {
	var err error
	for _, f := range []*os.File{x.events, x.extras, x.tiles} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

func (x *Index) readNames(path string) error {
	data, err := files.Read(path, mostNames)
	if err != nil {
		return err
	}
	damaged := fmt.Errorf("%s is damaged", path)
	if len(data) < 4 {
		return damaged
	}
	n := binary.LittleEndian.Uint32(data)
	for data = data[4:]; n > 0; n-- {
		if len(data) < 22 {
			return damaged
		}
		size := int(binary.LittleEndian.Uint32(data[18:]))
		if len(data) < 22+size {
			return damaged
		}
		x.stats = append(x.stats, nameStats{
			count: binary.LittleEndian.Uint32(data), longest: binary.LittleEndian.Uint32(data[4:]),
			total: int64(binary.LittleEndian.Uint64(data[8:])), kind: trace.Kind(data[16]),
		})
		x.shades = append(x.shades, data[17])
		x.texts = append(x.texts, string(data[22:22+size]))
		data = data[22+size:]
	}
	return nil
}

// Name is the text of a name, by its number.
func (x *Index) Name(i uint32) string {
	if int(i) < len(x.texts) {
		return x.texts[i]
	}
	return ""
}

// Outline is what the page has to know before it draws.
type Outline struct {
	SpanNS int64          `json:"span_ns"`
	Events int            `json:"events"`
	Top    int            `json:"top"`
	Groups []OutlineGroup `json:"groups"`
}

// OutlineGroup is a group without what only the server needs.
type OutlineGroup struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Sort   string `json:"sort"`
	Device int    `json:"device"`
	Lanes  int    `json:"lanes"`
	Events int    `json:"events"`
	BusyNS int64  `json:"busy_ns"`
}

// order is how groups follow each other on the page.
var order = map[string]int{"steps": 0, "idle": 1, "path": 2, "gpu": 3, "notes": 4, "ranges": 5, "host": 6, "frame": 7}

// Outline lists the groups in the order of the page.
func (x *Index) Outline() Outline {
	o := Outline{SpanNS: x.head.SpanNS, Events: x.head.Events, Top: x.head.Top}
	for i, g := range x.head.Groups {
		if g.Sort == "frame" {
			continue // the profiler's own rows
		}
		o.Groups = append(o.Groups, OutlineGroup{i, g.Name, g.Sort, g.Device, g.Lanes, int(g.Last - g.First), g.BusyNS})
	}
	sort.SliceStable(o.Groups, func(i, j int) bool {
		a, b := o.Groups[i], o.Groups[j]
		if order[a.Sort] != order[b.Sort] {
			return order[a.Sort] < order[b.Sort]
		}
		if a.Device != b.Device {
			return a.Device < b.Device
		}
		return a.Sort == "host" && a.BusyNS > b.BusyNS
	})
	return o
}

// record reads one event.
func (x *Index) record(id uint32) (record, error) {
	if int(id) >= x.head.Total {
		return record{}, errors.New("there is no such event")
	}
	var b [recordSize]byte
	if _, err := x.events.ReadAt(b[:], int64(id)*recordSize); err != nil {
		return record{}, fmt.Errorf("cannot read the timeline: %w", err)
	}
	return decode(b[:]), nil
}

// scan calls f for the events of a group that start in [from, to), by start, until it returns false.
func (x *Index) scan(g *Group, from, to int64, f func(id uint32, r record) bool) error {
	at := sort.Search(len(g.Starts), func(i int) bool { return g.Starts[i] >= from })
	id := g.First + uint32(max(0, at-1)*sampled)
	buf := make([]byte, sampled*recordSize)
	for id < g.Last {
		n := int(min(sampled, g.Last-id))
		if _, err := x.events.ReadAt(buf[:n*recordSize], int64(id)*recordSize); err != nil {
			return fmt.Errorf("cannot read the timeline: %w", err)
		}
		for i := range n {
			r := decode(buf[i*recordSize:])
			if r.start >= to {
				return nil
			}
			if r.start >= from && !f(id+uint32(i), r) {
				return nil
			}
		}
		id += uint32(n)
	}
	return nil
}
