package tts

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"saturate/internal/audio"
	"saturate/internal/files"
	"saturate/internal/shard"
)

// PlanSettings are what decides the speech of all shards besides their texts.
type PlanSettings struct {
	Version  int `json:"version"` // of the code that makes the bytes
	Settings `json:"speech"`
	Command  string `json:"command,omitempty"` // workers run it only if they are told the same one
	Server   string `json:"server,omitempty"`  // likewise
	Model    string `json:"model,omitempty"`
	Words    int    `json:"words_per_minute,omitempty"`

	Rejected []Rejected `json:"rejected,omitempty"` // texts that no shard has
}

const planVersion = 1

// Planned takes them from an engine that is ready.
func Planned(ctx context.Context, engine Engine, c Config, opt Options) (PlanSettings, error) {
	identity, err := engine.Prepare(ctx, opt.Voices)
	return PlanSettings{
		Version: planVersion,
		Settings: Settings{
			Engine: engine.Name(), Identity: identity, Rate: opt.Rate, Voices: opt.Voices,
			Variants: opt.Variants, Speed: opt.Speed,
		},
		Command: c.Command, Server: c.Server, Model: c.Model, Words: c.Words,
	}, err
}

// ParsePlanSettings reads what a plan keeps.
func ParsePlanSettings(text []byte) (PlanSettings, error) {
	var s PlanSettings
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("the plan's settings are damaged: %w", err)
	}
	if s.Version != planVersion || len(s.Voices) == 0 || s.Variants < 1 {
		return s, errors.New("the plan was made by another version of saturate tts; use that one, or make a new plan")
	}
	return s, nil
}

// Matches makes sure that an engine speaks here as it did where the plan was made.
func (s PlanSettings) Matches(ctx context.Context, engine Engine) error {
	identity, err := engine.Prepare(ctx, s.Voices)
	if err != nil {
		return err
	}
	now := s.Settings
	now.Engine, now.Identity = engine.Name(), identity
	if d := s.difference(now); d != "" {
		return fmt.Errorf("the plan was made for another engine: %s", d)
	}
	return nil
}

func (s PlanSettings) apply(opt *Options) {
	opt.Rate, opt.Voices, opt.Variants, opt.Speed = s.Rate, s.Voices, s.Variants, s.Speed
}

// Draft puts texts into a plan.
func (t Texts) Draft(d *shard.Draft) error {
	for _, item := range t.Items {
		line, err := json.Marshal(item)
		if err != nil {
			return err
		}
		if err := d.Add(shard.Input{Line: line, Bytes: int64(len(item.Text))}); err != nil {
			return err
		}
	}
	return nil
}

func parseTexts(lines []byte, items []Item) ([]Item, error) {
	for line := range bytes.Lines(lines) {
		var item Item
		if err := json.Unmarshal(line, &item); err != nil {
			return nil, fmt.Errorf("the plan's list of texts is damaged at %.60q: %w", line, err)
		}
		items = append(items, item)
	}
	return items, nil
}

// MakeShard speaks the texts of one shard and packs them as WebDataset and NeMo read them: NNNNNNNNN.wav and
// NNNNNNNNN.json of each line of the manifest.
func (s PlanSettings) MakeShard(ctx context.Context, j shard.Job, engine Engine, opt Options) (shard.Made, error) {
	items, err := parseTexts(j.Lines, nil)
	if err != nil {
		return shard.Made{}, err
	}
	s.apply(&opt)
	opt.Dir, opt.Manifest, opt.Absolute, opt.DryRun = filepath.Join(j.Dir, "speech"), "nemo", false, false
	r, err := Run(ctx, engine, Texts{Items: items}, opt)
	if err != nil {
		if isEnding(err) {
			err = fmt.Errorf("%w: %w", shard.ErrHopeless, err)
		}
		return shard.Made{}, err
	}
	made := shard.Made{
		Rows: int64(r.Entries - len(r.Failed)), Seconds: r.AudioSeconds,
		Detail: shardDetail{Failed: r.Failed},
	}
	for _, f := range r.Failed {
		made.Failed = append(made.Failed, shard.Failed{Input: f.Place, Reason: f.Reason})
	}
	path := filepath.Join(j.Dir, "speech.tar")
	made.Files = []shard.Piece{{Name: shardFile(j.Shard), Path: path}}
	_, err = files.Stream(path, func(w io.Writer) error { return pack(w, opt.Dir, j.Part.First*s.Variants) })
	return made, err
}

type shardDetail struct {
	Failed []Rejected `json:"failed"`
}

func shardFile(number int) string { return "shards/" + shard.Name(number) + ".tar" }

// pack streams what the manifest of a folder names into an archive, without anything that changes from run to run.
func pack(w io.Writer, dir string, first int) error {
	list, err := files.Read(filepath.Join(dir, manifestFile("nemo")), files.MaxJournal)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(w)
	for line := range bytes.Lines(list) {
		var entry struct {
			File string `json:"audio_filepath"`
		}
		line = bytes.TrimSpace(line)
		if err := json.Unmarshal(line, &entry); err != nil {
			return err
		}
		sound, err := files.Read(filepath.Join(dir, filepath.FromSlash(entry.File)), files.MaxAudio)
		if err != nil {
			return err
		}
		for _, m := range []struct {
			ending string
			data   []byte
		}{{"wav", sound}, {"json", line}} {
			h := &tar.Header{
				Name: fmt.Sprintf("%09d.%s", first, m.ending), Mode: 0o644, Size: int64(len(m.data)),
				Format: tar.FormatUSTAR,
			}
			if err := archive.WriteHeader(h); err != nil {
				return err
			}
			if _, err := archive.Write(m.data); err != nil {
				return err
			}
		}
		first++
	}
	return archive.Close()
}

// Join makes one folder of all shards: the files and the manifest that a run on one machine writes.
func (s PlanSettings) Join(ctx context.Context, from shard.Store, p *shard.Plan, opt Options) (Result, error) {
	s.apply(&opt)
	var items []Item
	for i := range p.Shards {
		lines, err := p.Lines(ctx, from, i)
		if err != nil {
			return Result{}, err
		}
		if items, err = parseTexts(lines, items); err != nil {
			return Result{}, err
		}
	}
	plan := makePlan(items, s.Settings)
	jobs := map[string]Job{}
	for _, j := range plan.Jobs {
		jobs[j.Key] = j
	}
	st, err := openStore(opt.Dir, s.Settings, opt.Replace)
	if err != nil {
		return Result{}, err
	}
	defer st.close()
	r := Result{
		Engine: s.Engine, Version: s.Identity.Version, Texts: len(items), Entries: len(plan.Entries),
		Files: len(plan.Jobs), Failed: append([]Rejected{}, s.Rejected...),
	}
	for i := range p.Shards {
		if err := st.unpack(ctx, from, i, jobs, s.Rate, &r); err != nil {
			return r, fmt.Errorf("shard %d: %w", i, err)
		}
		receipt, err := shard.ReadReceipt(ctx, from, p, i)
		if err != nil {
			return r, err
		}
		var d shardDetail
		if err := json.Unmarshal(receipt.Detail, &d); err != nil {
			return r, fmt.Errorf("the receipt of shard %d is damaged: %w", i, err)
		}
		r.Failed = append(r.Failed, d.Failed...)
	}
	return st.finish(plan, r, nil, opt)
}

// unpack streams an archive into the folder.
func (st *store) unpack(ctx context.Context, from shard.Store, number int, jobs map[string]Job, rate int, r *Result) error {
	in, err := from.Read(ctx, shardFile(number), 0, -1)
	if err != nil {
		return err
	}
	defer in.Close()
	var sound []byte
	for archive := tar.NewReader(in); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := files.ReadAll(archive, files.MaxAudio)
		if err != nil {
			return err
		}
		if strings.HasSuffix(h.Name, ".wav") {
			sound = data
			continue
		}
		var entry struct {
			File string `json:"audio_filepath"`
			SHA  string `json:"sha256"`
		}
		if err := json.Unmarshal(data, &entry); err != nil {
			return fmt.Errorf("%s is damaged: %w", h.Name, err)
		}
		key := strings.TrimSuffix(filepath.Base(entry.File), ".wav")
		job, ok := jobs[key]
		if !ok {
			return fmt.Errorf("%s is not of the plan", h.Name)
		}
		if _, there := st.have(job, rate); there {
			r.Reused++
			continue
		}
		clip, err := audio.Decode(ctx, h.Name, sound, audio.Options{})
		if err != nil {
			return fmt.Errorf("%s: %w", h.Name, err)
		}
		if _, err := st.put(job, clip.Len(), sound); err != nil {
			return err
		}
		r.Made++
	}
}
