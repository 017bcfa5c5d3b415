package web

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"saturate/internal/progress"
)

// job is a command at work, with its tasks and results in order.
type job struct {
	Command string            `json:"command"`
	PID     int               `json:"pid"`
	Tasks   []progress.Line   `json:"tasks"`
	Results []progress.Result `json:"results"`
}

// silence is how long a command may write nothing before it counts as dead; it writes every second.
const silence = 15 * time.Second

// mostTold is how much of a journal is read: its end.
const mostTold = 1 << 20

// jobs lists the commands that are at work now.
func (l *Library) jobs() []job {
	all := []job{}
	for _, folder := range l.opt.Live {
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(e.Name(), progress.JournalEnding) || time.Since(info.ModTime()) > silence {
				continue
			}
			lines, _, err := readLines(filepath.Join(folder, e.Name()), max(0, info.Size()-mostTold), mostTold)
			if err != nil {
				continue
			}
			if j := newJob(lines); len(j.Tasks)+len(j.Results) > 0 {
				all = append(all, j)
			}
		}
	}
	slices.SortFunc(all, func(a, b job) int { return a.PID - b.PID })
	return all
}

// newJob keeps the results, and the last line of each task.
func newJob(lines [][]byte) job {
	j := job{Tasks: []progress.Line{}, Results: []progress.Result{}}
	at := map[int]int{}
	for _, raw := range lines {
		var l progress.Line
		if json.Unmarshal(raw, &l) != nil || l.Label == "" && l.Result == nil {
			continue
		}
		j.Command, j.PID = l.Command, l.PID
		if l.Result != nil {
			j.Results = append(j.Results, *l.Result)
			continue
		}
		if i, ok := at[l.Task]; ok {
			j.Tasks[i] = l
			continue
		}
		at[l.Task] = len(j.Tasks)
		j.Tasks = append(j.Tasks, l)
	}
	return j
}

// jobs tells the commands at work, when that changed.
func (f *follower) jobs() (told bool, err error) {
	list := f.library.jobs()
	data, err := json.Marshal(list)
	if err != nil || bytes.Equal(data, f.told) || f.told == nil && len(list) == 0 {
		return false, err
	}
	f.told = data
	return true, f.send("jobs", list)
}
