package tts

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"saturate/internal/audio"
	"saturate/internal/files"
)

// made is a finished file, as the journal has it.
type made struct {
	Key     string `json:"key"`
	Samples int    `json:"samples"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
}

// store is the folder of one run: finished files under their names, unfinished ones apart from
// them, and a journal with a line for each finished file.
type store struct {
	dir     string
	hold    *os.File // the lock
	journal *os.File
	mu      sync.Mutex
	done    map[string]made
}

const (
	stateFolder = ".saturate-tts"
	journalName = "journal.jsonl"
)

var errOtherSettings = errors.New("the folder has files of other settings")

// openStore takes a folder for this run and finds out what it holds already.
func openStore(dir string, s Settings, replace bool) (*store, error) {
	state := filepath.Join(dir, stateFolder)
	if _, err := os.Stat(state); errors.Is(err, os.ErrNotExist) {
		for _, name := range []string{manifestFile("json"), manifestFile("nemo"), failuresName} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return nil, fmt.Errorf("%s has a %s that saturate tts did not write; choose another folder", dir, name)
			}
		}
	}
	if err := os.MkdirAll(filepath.Join(state, "tmp"), 0o755); err != nil {
		return nil, fmt.Errorf("cannot create the output folder: %w; choose another with --output", err)
	}
	hold, err := os.OpenFile(filepath.Join(state, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("cannot write to the output folder: %w; choose another with --output", err)
	}
	if err := files.Lock(hold); err != nil {
		hold.Close()
		return nil, fmt.Errorf("another run is writing to %s; wait for it, or choose another folder", dir)
	}
	st := &store{dir: dir, hold: hold, done: map[string]made{}}
	if err := st.readJournal(s, replace); err != nil {
		hold.Close()
		return nil, err
	}
	// What a killed run had half done.
	if left, err := filepath.Glob(filepath.Join(state, "tmp", "*")); err == nil {
		for _, f := range left {
			os.Remove(f)
		}
	}
	return st, nil
}

// readJournal takes over what earlier runs finished, and starts a journal where there is none.
func (st *store) readJournal(s Settings, replace bool) error {
	path := filepath.Join(st.dir, stateFolder, journalName)
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot read the journal: %w", err)
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1] // a killed run may leave half a line
	head, lines, _ := bytes.Cut(whole, []byte("\n"))
	var old struct{ Settings *Settings }
	switch {
	case len(whole) == 0:
		return st.startJournal(path, s)
	case json.Unmarshal(head, &old) != nil || old.Settings == nil:
		return fmt.Errorf("%s is damaged; remove it, and the next run checks and keeps the finished files", path)
	}
	if d := old.Settings.difference(s); d != "" {
		if !replace {
			return fmt.Errorf("%w: %s. Choose another folder, or add --replace for a new manifest (finished files are kept)", errOtherSettings, d)
		}
		return st.startJournal(path, s)
	}
	for scan := bufio.NewScanner(bytes.NewReader(lines)); scan.Scan(); {
		var m made
		if json.Unmarshal(scan.Bytes(), &m) == nil && len(m.Key) == 32 {
			st.done[m.Key] = m
		}
	}
	st.journal, err = os.OpenFile(path, os.O_WRONLY, 0o644)
	if err == nil {
		err = st.journal.Truncate(int64(len(whole)))
	}
	if err == nil {
		_, err = st.journal.Seek(0, 2)
	}
	if err != nil {
		return fmt.Errorf("cannot resume the journal: %w", err)
	}
	return nil
}

func (st *store) startJournal(path string, s Settings) error {
	head, err := json.Marshal(map[string]Settings{"settings": s})
	if err == nil {
		err = files.Write(path, append(head, '\n'))
	}
	if err == nil {
		st.journal, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o644)
	}
	if err != nil {
		return fmt.Errorf("cannot start the journal: %w; choose another folder with --output", err)
	}
	return nil
}

// have says whether a job is finished. A file that the journal does not know (the run was killed between
// the two) is read, and counts when it is whole.
func (st *store) have(j Job, rate int) (made, bool) {
	path := filepath.Join(st.dir, filepath.FromSlash(j.File()))
	if m, ok := st.done[j.Key]; ok {
		stat, err := os.Stat(path)
		return m, err == nil && stat.Size() == m.Bytes && m.Bytes > 0
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return made{}, false
	}
	clip, err := audio.Decode(context.Background(), path, data, audio.Options{FFmpeg: "none"})
	if err != nil || clip.Rate != rate || clip.Len() == 0 {
		return made{}, false
	}
	m := describe(j.Key, clip.Len(), data)
	return m, st.note(m) == nil
}

// finished says whether a job was finished, by this run or before it.
func (st *store) finished(j Job) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	_, ok := st.done[j.Key]
	return ok
}

func describe(key string, samples int, data []byte) made {
	sum := sha256.Sum256(data)
	return made{key, samples, int64(len(data)), hex.EncodeToString(sum[:])}
}

// put makes a finished file appear, whole, and then notes it.
func (st *store) put(j Job, samples int, data []byte) (made, error) {
	final := filepath.Join(st.dir, filepath.FromSlash(j.File()))
	temp := filepath.Join(st.dir, stateFolder, "tmp", j.Key)
	err := os.WriteFile(temp, data, 0o644)
	if err == nil {
		err = os.Rename(temp, final)
		if errors.Is(err, os.ErrNotExist) {
			if err = os.MkdirAll(filepath.Dir(final), 0o755); err == nil {
				err = os.Rename(temp, final)
			}
		}
	}
	m := describe(j.Key, samples, data)
	if err == nil {
		err = st.note(m)
	}
	if err != nil {
		os.Remove(temp)
		return m, fmt.Errorf("cannot write %s: %w", final, err)
	}
	return m, nil
}

// note writes a finished file into the journal: one line, in one write.
func (st *store) note(m made) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if _, err := st.journal.Write(append(line, '\n')); err != nil {
		return err
	}
	st.done[m.Key] = m
	return nil
}

func (st *store) close() error { return errors.Join(st.journal.Close(), st.hold.Close()) }
