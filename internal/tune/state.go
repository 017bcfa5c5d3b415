package tune

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"

	"saturate/internal/files"
	"saturate/internal/tune/setting"
	"saturate/internal/verify"
)

// state is what measurements depend on, fixed before the first of them:
//
//	state.json      the first look at the program, and who takes part
//	base/           the settings of levels 0 and 1 together, block by block (see verify)
//	with-NAME/      each candidate
//	confirm-…/      the winner, on fresh blocks
type state struct {
	Key      string                           `json:"key"`
	Look     *Look                            `json:"look,omitempty"`
	Base     []string                         `json:"base"`    // the settings that candidates come on top of
	Entries  []string                         `json:"entries"` // names of those that are measured
	Pairs    int                              `json:"pairs"`
	Skipped  map[string]string                `json:"skipped,omitempty"` // candidates that are not measured, and why
	Dropped  map[string]string                `json:"dropped,omitempty"` // settings that the first look crashed with
	Fallback []string                         `json:"fallback,omitempty"`
	Observed map[string][]setting.Observation `json:"observed,omitempty"` // what was read back in the measurements
}

// Look is what a first short run told of the program.
type Look struct {
	WallSeconds float64 `json:"wall_s"`
	Steps       int     `json:"steps"`
	Parameters  int64   `json:"parameters"`
	Inference   bool    `json:"inference"`
	Exit        int     `json:"exit_code"`
	Said        string  `json:"said,omitempty"` // last, where it failed

	Libraries []string `json:"libraries"` // torch, jax: what it imported
}

// Key tells apart what cannot share measurements: another state of the program, other settings or another design.
func (o Options) Key() (string, error) {
	v, err := verify.InFolder(o.Dir, o.Dir, o.Command)
	if err != nil {
		return "", err
	}
	return o.key(v)
}

func (o Options) key(v verify.Variant) (string, error) {
	text, err := json.Marshal([]any{
		o.Dir, v.Fingerprint, o.Command, o.Level, o.Measure, o.Candidates, o.Pairs, o.Steps, o.Budget.String(),
		o.Selection.Use, o.Selection.Candidates,
	})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}

// open starts a protocol, or resumes an existing one.
func (t *tuner) open() (unlock func(), err error) {
	if t.sources, err = verify.InFolder(t.Dir, t.Dir, t.Command); err != nil {
		return nil, err
	}
	key, err := t.key(t.sources)
	if err != nil {
		return nil, err
	}
	if err := files.MakeOwn(t.State); err != nil {
		return nil, fmt.Errorf("cannot create the folder for measurements: %w", err)
	}
	if unlock, err = files.LockFolder(t.State, "another saturate tune"); err != nil {
		return nil, err
	}
	if data, err := files.Read(t.stateFile(), files.MaxRecord); err == nil {
		if json.Unmarshal(data, &t.state) != nil || t.state.Key != key {
			unlock()
			return nil, fmt.Errorf("%s has measurements of a different program or different "+
				"settings; remove it, or choose another folder with --state", t.State)
		}
	}
	t.state.Key = key
	if t.state.Observed == nil {
		t.state.Observed = map[string][]setting.Observation{}
	}
	return unlock, nil
}

func (t *tuner) stateFile() string { return filepath.Join(t.State, "state.json") }

func (t *tuner) save() error {
	data, err := json.MarshalIndent(t.state, "", " ")
	if err == nil {
		err = files.Write(t.stateFile(), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("cannot save the measurements: %w", err)
	}
	return nil
}
