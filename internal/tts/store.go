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
	"io"
	"io/fs"
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
	root    *os.Root // the same, open: no link in it leads out of it
	hold    *os.File // the lock
	journal *os.File
	mu      sync.Mutex
	done    map[string]made
}

const (
	stateFolder = ".saturate-tts"
	journalName = "journal.jsonl"
)

var errOtherSettings = errors.New("the folder has files made with different settings")

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
	root, err := openFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot create the output folder: %w; choose another with --output", err)
	}
	hold, err := files.OpenOwn(filepath.Join(state, "lock"), files.Shared)
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("cannot write to the output folder: %w; choose another with --output", err)
	}
	st := &store{dir: dir, root: root, hold: hold, done: map[string]made{}}
	if err := files.Lock(hold); err != nil {
		st.close()
		return nil, fmt.Errorf("another run is writing to %s; wait for it, or choose another folder", dir)
	}
	if err := st.readJournal(s, replace); err != nil {
		st.close()
		return nil, err
	}
	// What a killed run had half done.
	if left, err := fs.ReadDir(root.FS(), stateFolder+"/tmp"); err == nil {
		for _, f := range left {
			_ = root.Remove(filepath.Join(stateFolder, "tmp", f.Name()))
		}
	}
	return st, nil
}

// openFolder makes the folder, with the place for its state.
func openFolder(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	if err := root.MkdirAll(filepath.Join(stateFolder, "tmp"), 0o755); err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// readJournal takes over what earlier runs finished, and starts a journal where there is none.
func (st *store) readJournal(s Settings, replace bool) error {
	path := filepath.Join(st.dir, stateFolder, journalName)
	data, err := files.Read(path, files.MaxJournal)
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
			return fmt.Errorf("%w: %s. Choose another folder, or add --replace for a new manifest (finished files are kept)",
				errOtherSettings, d)
		}
		return st.startJournal(path, s)
	}
	for scan := bufio.NewScanner(bytes.NewReader(lines)); scan.Scan(); {
		var m made
		if json.Unmarshal(scan.Bytes(), &m) == nil && len(m.Key) == 32 {
			st.done[m.Key] = m
		}
	}
	st.journal, err = files.OpenOwn(path, files.Shared)
	if err == nil {
		err = st.journal.Truncate(int64(len(whole)))
	}
	if err == nil {
		_, err = st.journal.Seek(0, io.SeekEnd)
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
		st.journal, err = files.OpenOwn(path, files.Shared)
	}
	if err == nil {
		_, err = st.journal.Seek(0, io.SeekEnd)
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
	data, err := files.Read(path, files.MaxAudio)
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
	m := describe(j.Key, samples, data)
	err := st.appear(j, data)
	if err == nil {
		err = st.note(m)
	}
	if err != nil {
		return m, fmt.Errorf("cannot write %s: %w", filepath.Join(st.dir, filepath.FromSlash(j.File())), err)
	}
	return m, nil
}

// appear writes a file apart from the others and gives it its name. It is not synced: a file that the machine lost is
// made again.
func (st *store) appear(j Job, data []byte) error {
	final := filepath.FromSlash(j.File())
	fresh, err := files.NewFresh(st.root, filepath.Join(stateFolder, "tmp", j.Key), final, files.Shared)
	if err != nil {
		return err
	}
	_, err = fresh.Write(data)
	if err = errors.Join(err, fresh.Close()); err == nil {
		if err = fresh.Place(); errors.Is(err, os.ErrNotExist) {
			if err = st.root.MkdirAll(filepath.Dir(final), 0o755); err == nil {
				err = fresh.Place()
			}
		}
	}
	if err != nil {
		fresh.Discard()
	}
	return err
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

func (st *store) close() error {
	var err error
	if st.journal != nil {
		err = st.journal.Close()
	}
	return errors.Join(err, st.hold.Close(), st.root.Close())
}
