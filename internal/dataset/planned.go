package dataset

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"saturate/internal/mel"
	"saturate/internal/progress"
	"saturate/internal/shard"
)

// Settings are what decides the bytes of all shards of a build besides their inputs. A plan keeps them.
type Settings struct {
	Version     int           `json:"version"` // of the code that makes the bytes
	To          string        `json:"to"`
	Params      mel.Params    `json:"params"`
	Layout      string        `json:"layout"`
	Length      time.Duration `json:"length_ns"`
	Segment     time.Duration `json:"segment_ns"`
	Overlap     time.Duration `json:"overlap_ns"`
	MaxDuration time.Duration `json:"max_duration_ns"`
	Checksum    string        `json:"checksum"`
	GroupRows   int           `json:"group_rows"` // of Parquet
	Columns     []string      `json:"columns"`    // of lists
	Kinds       []int         `json:"kinds"`      // what they hold, over all shards
	Attributes  any           `json:"attributes"` // for readers
}

const settingsVersion = 1

// shardEndings are the formats that a shard can have: those of one file. The file's ending follows.
var shardEndings = map[string]string{"hdf5": ".h5", "parquet": ".parquet", "webdataset": ".tar"}

// SettingsOf takes them from the options and the whole list.
func SettingsOf(o Options, l *List) (Settings, error) {
	if shardEndings[o.To] == "" {
		return Settings{}, fmt.Errorf("shards cannot have the format %s; use hdf5, parquet or webdataset", o.To)
	}
	if err := o.settle(); err != nil {
		return Settings{}, err
	}
	s := Settings{
		Version: settingsVersion, To: o.To, Params: o.Params, Layout: o.Layout, Length: o.Length, Segment: o.Segment,
		Overlap:     o.Overlap,
		MaxDuration: o.MaxDuration, Checksum: o.Checksum, Columns: append([]string{}, l.Columns...), Kinds: []int{},
	}
	if o.To == "parquet" {
		s.GroupRows = o.Shard
	}
	for k := range l.Columns {
		s.Kinds = append(s.Kinds, int(l.kindOf(k)))
	}
	form, err := newShape(o)
	if err != nil {
		return s, err
	}
	about := map[string]any{}
	for _, a := range attributes(o, form, l) {
		if a.name != "inputs" && a.name != "shard_rows" {
			about[a.name] = a.value
		}
	}
	s.Attributes = about
	return s, nil
}

// ParseSettings reads what a plan keeps.
func ParseSettings(text []byte) (Settings, error) {
	var s Settings
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("the plan's settings are damaged: %w", err)
	}
	if s.Version != settingsVersion || len(s.Kinds) != len(s.Columns) || shardEndings[s.To] == "" {
		return s, errors.New("the plan was made by another version of saturate mel; use that one, or make a new plan")
	}
	return s, nil
}

// Apply sets the options that the plan decides.
func (s Settings) Apply(o *Options) {
	o.To, o.Params, o.Layout, o.Length, o.Segment, o.Overlap = s.To, s.Params, s.Layout, s.Length, s.Segment, s.Overlap
	o.MaxDuration, o.Checksum, o.Shard = s.MaxDuration, s.Checksum, s.GroupRows
}

// plannedItem is a line of a plan's list of inputs.
type plannedItem struct {
	Path   string   `json:"path"`
	Raw    bool     `json:"base64,omitempty"` // the path is, because it is not UTF-8
	Tar    string   `json:"tar,omitempty"`
	At     int64    `json:"at,omitempty"`
	Size   int64    `json:"size"`
	Sum    string   `json:"sum,omitempty"`
	Time   int64    `json:"time,omitempty"` // where there is no checksum
	Start  float64  `json:"start,omitempty"`
	Span   float64  `json:"span,omitempty"`
	Bad    string   `json:"bad,omitempty"`
	Values []string `json:"values,omitempty"` // a number has # before it, a text has $
}

// Line is an item in a plan.
func (it *Item) line() ([]byte, error) {
	p := plannedItem{
		Path: it.Path, Tar: it.Tar, At: it.At, Size: it.Size, Sum: it.Sum, Start: it.Start, Span: it.Span,
		Bad: it.Bad,
	}
	if it.Sum == "" {
		p.Time = it.Time
	}
	if !utf8.ValidString(it.Path) || !utf8.ValidString(it.Tar) {
		p.Raw, p.Path, p.Tar = true, base64.StdEncoding.EncodeToString([]byte(it.Path)), base64.StdEncoding.EncodeToString([]byte(it.Tar))
	}
	for _, v := range it.values {
		p.Values = append(p.Values, map[bool]string{true: "#", false: "$"}[v.number]+v.text)
	}
	return json.Marshal(p)
}

func parseItem(line []byte) (Item, error) {
	var p plannedItem
	if err := json.Unmarshal(line, &p); err != nil {
		return Item{}, err
	}
	if p.Raw {
		path, err := base64.StdEncoding.DecodeString(p.Path)
		tar, err2 := base64.StdEncoding.DecodeString(p.Tar)
		if err := errors.Join(err, err2); err != nil {
			return Item{}, err
		}
		p.Path, p.Tar = string(path), string(tar)
	}
	if p.Size < 0 || p.At < 0 || p.At > math.MaxInt64-p.Size {
		return Item{}, errors.New("it has a negative size or place")
	}
	it := Item{
		Path: p.Path, Tar: p.Tar, At: p.At, Size: p.Size, Sum: p.Sum, Time: p.Time, Start: p.Start, Span: p.Span,
		Bad: p.Bad,
	}
	for _, v := range p.Values {
		if v == "" {
			return Item{}, errors.New("a value has no type")
		}
		it.values = append(it.values, value{v[1:], v[0] == '#'})
	}
	return it, nil
}

// PlannedList makes a list of a shard's lines.
func (s Settings) PlannedList(lines []byte) (*List, error) {
	l := &List{Columns: s.Columns, kinds: make([]kind, len(s.Kinds))}
	for i, k := range s.Kinds {
		l.kinds[i] = kind(k)
	}
	return l, s.add(l, lines)
}

func (s Settings) add(l *List, lines []byte) error {
	for line := range bytes.Lines(lines) {
		it, err := parseItem(line)
		if err == nil && len(it.values) > len(s.Columns) {
			err = errors.New("it has more values than the list has columns")
		}
		if err != nil {
			return fmt.Errorf("the plan's list of inputs is damaged at %.60q: %w", line, err)
		}
		l.add(it)
	}
	return nil
}

// Draft puts a list into a plan.
func (l *List) Draft(d *shard.Draft) error {
	for i := range l.Items {
		line, err := l.Items[i].line()
		if err != nil {
			return err
		}
		if err := d.Add(shard.Input{Line: line, Bytes: l.Items[i].Size}); err != nil {
			return err
		}
	}
	return nil
}

// Checksums reads every input once, so that a plan says exactly what it was made for. Objects have a tag already.
func (l *List) Checksums(ctx context.Context, opt Options) error {
	if opt.Checksum == NoChecksum {
		return nil
	}
	tars, err := openTars(l, opt)
	defer func() {
		for _, f := range tars {
			f.Close()
		}
	}()
	if err != nil {
		return fmt.Errorf("cannot read the archive: %w", err)
	}
	d := &decoder{opt: opt, list: l, tars: tars}
	display := opt.Progress
	if display == nil {
		display = &progress.Display{Quiet: true}
	}
	task := display.Start("checksums", "files", int64(len(l.Items)))
	defer task.Done()
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			var buffer []byte
			for i := int(next.Add(1)) - 1; i < len(l.Items) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if it := &l.Items[i]; it.Bad == "" && it.Sum == "" && it.Size > 0 {
					it.Sum = d.sum(it, &buffer)
				}
				task.Add(1)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}

// sum is an item's checksum, or "" where it cannot be read: the worker will find out why.
func (d *decoder) sum(it *Item, buffer *[]byte) string {
	src, err := d.open(it)
	if err != nil {
		return ""
	}
	defer src.close()
	o := outcome{state: done}
	if d.checksumStream(&o, src, buffer) != nil {
		return ""
	}
	return o.checksum()
}

// unlike says what is not as the plan has it: an input that changed, or that cannot be read any more.
func unlike(it *Item, o *outcome) error {
	switch {
	case it.Bad != "":
		return nil
	case o.state == quarantined && o.checksum() == "" && strings.HasPrefix(o.reason, "cannot be read"):
		return fmt.Errorf("%s %s; it could be read when the plan was made", it.name(), o.reason)
	case it.Sum == "" || strings.HasPrefix(it.Sum, tagged) || o.checksum() == it.Sum:
		return nil
	}
	return fmt.Errorf("%s changed after the plan was made (its checksum was %s); make a new plan, or restore the file",
		it.name(), it.Sum)
}
