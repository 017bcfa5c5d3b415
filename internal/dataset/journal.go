package dataset

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"

	"saturate/internal/files"
)

// journal is the list of finished items beside an unfinished output, a JSON object a line. The first says
// for which output; {"boot"} begins a run; {"flushed"} says up to which byte lines speak of what is on the disk.
type journal struct {
	file *os.File
	new  bool // nothing was noted before

	mu      sync.Mutex
	size    int64  // written
	waiting []byte // lines that are to be written
	spare   []byte // memory for them
	writing bool   // somebody does, and whoever brings a line meanwhile leaves it to them
}

type journalHead struct {
	Journal  string            `json:"journal"`
	Settings map[string]string `json:"settings"`
}

const journalKind = "saturate mel 1"

// entry is a line as it is read.
type entry struct {
	Boot    string  `json:"boot"`
	Flushed int     `json:"flushed"`
	Item    *int    `json:"item"`
	Size    int64   `json:"size"`
	Time    int64   `json:"time"`
	Samples int64   `json:"samples"`
	Seconds float64 `json:"seconds"`
	Rate    int32   `json:"rate"`
	Chans   uint16  `json:"channels"`
	Odd     int32   `json:"odd"`
	CRC     uint32  `json:"crc"`
	SHA     string  `json:"sha"`
	Reason  string  `json:"reason"`
}

// openJournal takes over what earlier runs finished into results; boot names this run of the machine. The
// file is locked for as long as the process lives.
func openJournal(path, boot string, settings map[string]string, items []Item, results []outcome, replace bool) (*journal, error) {
	f, err := files.OpenOwn(path, files.Shared)
	if err != nil {
		return nil, fmt.Errorf("cannot write the journal: %w; choose another output with --output", err)
	}
	j := &journal{file: f}
	if err := files.Lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("another run is writing %s; wait for it, or choose another output", path)
	}
	if err := j.read(path, boot, settings, items, results, replace); err != nil {
		if j.new {
			os.Remove(path)
		}
		f.Close()
		return nil, err
	}
	return j, nil
}

func (j *journal) read(path, boot string, settings map[string]string, items []Item, results []outcome, replace bool) error {
	data, err := files.ReadAll(j.file, files.MaxJournal)
	if err != nil {
		return fmt.Errorf("cannot read the journal: %w", err)
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1] // a killed run may leave half a line
	head, rest, _ := bytes.Cut(whole, []byte("\n"))
	var old journalHead
	damaged := json.Unmarshal(head, &old) != nil || old.Journal != journalKind
	d := difference(old.Settings, settings, func() string { return anotherList })
	switch {
	case len(whole) == 0:
		j.new = true
		return j.start(boot, settings)
	case replace && (damaged || d != ""):
		return j.start(boot, settings)
	case damaged:
		return fmt.Errorf("%s is damaged; add --replace to start over", path)
	case d != "":
		return fmt.Errorf("an unfinished output with different settings exists: %s. Choose "+
			"another name, or add --replace to start over", d)
	}
	trusted := j.trusted(len(head)+1, rest, boot)
	for line := range bytes.Lines(whole[len(head)+1 : trusted]) {
		var e entry
		if json.Unmarshal(line, &e) == nil && e.Item != nil && *e.Item >= 0 && *e.Item < len(results) {
			it := &items[*e.Item]
			if it.Size == e.Size && it.Time == e.Time { // else it has changed since
				results[*e.Item] = e.outcome()
			}
		}
	}
	j.size = int64(trusted)
	if err := j.file.Truncate(j.size); err != nil {
		return fmt.Errorf("cannot resume the journal: %w", err)
	}
	return j.append(fmt.Appendf(nil, `{"boot":%q}`, boot))
}

// trusted is where lines end that can be believed: all of them when the machine has not been
// restarted since, those before the last mark when it has.
func (j *journal) trusted(from int, lines []byte, boot string) int {
	at, mark, last := from, from, ""
	for line := range bytes.Lines(lines) {
		at += len(line)
		var e entry
		if bytes.HasPrefix(line, []byte(`{"item"`)) || json.Unmarshal(line, &e) != nil {
			continue
		}
		if e.Boot != "" {
			last = e.Boot
		}
		if e.Flushed > mark && e.Flushed <= at {
			mark = e.Flushed
		}
	}
	if last == boot && boot != "" {
		return at
	}
	return mark
}

func (e entry) outcome() outcome {
	o := outcome{
		state: done, channels: e.Chans, rate: e.Rate, odd: e.Odd, crc: e.CRC, samples: e.Samples, seconds: e.Seconds,
		reason: e.Reason,
	}
	if e.Reason != "" {
		o.state = quarantined
	}
	if raw, err := hex.DecodeString(e.SHA); err == nil && len(raw) == 32 {
		o.sha = (*[32]byte)(raw)
	}
	return o
}

func (j *journal) start(boot string, settings map[string]string) error {
	head, err := json.Marshal(journalHead{journalKind, settings})
	if err == nil {
		err = j.file.Truncate(0)
	}
	if err == nil {
		head = fmt.Appendf(append(head, '\n'), `{"boot":%q}`, boot)
		err = j.append(head)
	}
	if err != nil {
		return fmt.Errorf("cannot start the journal: %w; choose another output with --output", err)
	}
	return nil
}

// append adds a line. Nobody waits for another's write, let alone for the disk.
func (j *journal) append(line []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting = append(append(j.waiting, line...), '\n')
	if j.writing {
		return nil
	}
	j.writing = true
	defer func() { j.writing = false }()
	for len(j.waiting) > 0 {
		lines, at := j.waiting, j.size
		j.waiting = j.spare[:0]
		j.mu.Unlock()
		_, err := j.file.WriteAt(lines, at)
		j.mu.Lock()
		j.spare = lines
		if err != nil {
			return err
		}
		j.size += int64(len(lines))
	}
	return nil
}

// add notes a finished item.
func (j *journal) add(item int, it *Item, o *outcome) error {
	var room [256]byte
	b, err := appendEntry(room[:0], item, it, o)
	if err != nil {
		return err
	}
	if err := j.append(b); err != nil {
		return fmt.Errorf("cannot write the journal: %w", err)
	}
	return nil
}

// appendEntry adds the line of a finished item, without its end.
func appendEntry(b []byte, item int, it *Item, o *outcome) ([]byte, error) {
	b = append(b, `{"item":`...)
	b = strconv.AppendInt(b, int64(item), 10)
	number := func(name string, v int64) {
		if v != 0 {
			b = append(append(append(b, `,"`...), name...), `":`...)
			b = strconv.AppendInt(b, v, 10)
		}
	}
	number("size", it.Size)
	number("time", it.Time)
	number("samples", o.samples)
	number("rate", int64(o.rate))
	number("channels", int64(o.channels))
	number("odd", int64(o.odd))
	number("crc", int64(o.crc))
	if o.seconds != 0 {
		b = strconv.AppendFloat(append(b, `,"seconds":`...), o.seconds, 'g', -1, 64)
	}
	if o.sha != nil {
		b = append(hex.AppendEncode(append(b, `,"sha":"`...), o.sha[:]), '"')
	}
	if o.state == quarantined {
		text, err := json.Marshal(o.reason)
		if err != nil {
			return b, err
		}
		b = append(append(b, `,"reason":`...), text...)
	}
	return append(b, '}'), nil
}

// flush flushes the rows by data, and marks the lines before that as on the disk.
func (j *journal) flush(data func() error) error {
	j.mu.Lock()
	before := j.size
	j.mu.Unlock()
	if err := data(); err != nil {
		return err
	}
	if err := errors.Join(j.append(fmt.Appendf(nil, `{"flushed":%d}`, before)), j.file.Sync()); err != nil {
		return fmt.Errorf("cannot write the journal: %w", err)
	}
	return nil
}

// rewrite replaces the journal by what results hold.
func (j *journal) rewrite(boot string, settings map[string]string, items []Item, results []outcome) error {
	j.size = 0
	if err := j.start(boot, settings); err != nil {
		return err
	}
	for i := range results {
		if results[i].state != todo {
			if err := j.add(i, &items[i], &results[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (j *journal) close() error { return j.file.Close() }
