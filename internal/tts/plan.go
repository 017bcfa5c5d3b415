package tts

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"path"
	"strings"
)

// Settings are what decides the files of a folder besides the texts.
type Settings struct {
	Engine   string   `json:"engine"`
	Identity Identity `json:"identity"`
	Rate     int      `json:"rate"`
	Voices   []string `json:"voices"`
	Variants int      `json:"variants"`
	Speed    float64  `json:"speed"`
}

// difference names what is not the same in two settings, "" when nothing is.
func (s Settings) difference(o Settings) string {
	var parts []string
	differ := func(what string, a, b any) {
		if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
			parts = append(parts, fmt.Sprintf("%s was %s, is now %s", what, x, y))
		}
	}
	differ("engine", s.Engine, o.Engine)
	if s.Engine == o.Engine {
		differ("version", s.Identity.Version, o.Identity.Version)
		differ("settings", s.Identity.Settings, o.Identity.Settings)
	}
	differ("rate", s.Rate, o.Rate)
	differ("voices", strings.Join(s.Voices, ","), strings.Join(o.Voices, ","))
	differ("variants", s.Variants, o.Variants)
	differ("speed", s.Speed, o.Speed)
	return strings.Join(parts, "; ")
}

// Job is one file to be made.
type Job struct {
	Key     string // a hash of everything that decides the sound
	Request Request
	Place   string // of the first text that wants it
}

// File is the job's place below the folder. Two levels keep folders small.
func (j Job) File() string { return path.Join("audio", j.Key[:2], j.Key+".wav") }

// Plan is the work: each entry of the manifest, and each different file once.
type Plan struct {
	Settings Settings
	Jobs     []Job
	Entries  []Entry
}

// Entry is one line of the manifest.
type Entry struct {
	Item Item
	Job  int // in Plan.Jobs
}

// makePlan lays out the work. It depends on texts and settings alone.
func makePlan(items []Item, s Settings) Plan {
	p := Plan{Settings: s}
	known := map[string]int{}
	for _, item := range items {
		for k := range s.Variants {
			r := variant(item.Text, k, s)
			key := s.key(r)
			at, ok := known[key]
			if !ok {
				at = len(p.Jobs)
				known[key] = at
				p.Jobs = append(p.Jobs, Job{Key: key, Request: r, Place: item.Place})
			}
			p.Entries = append(p.Entries, Entry{item, at})
		}
	}
	return p
}

// key is the name of a file: the same sound has the same name in every folder.
func (s Settings) key(r Request) string {
	fields := []string{
		"saturate-tts/1", s.Engine, s.Identity.Version, s.Identity.Settings, r.Voice,
		fmt.Sprintf("%.3f", r.Speed), fmt.Sprintf("%.3f", r.Pitch), fmt.Sprint(s.Rate), r.Text,
	}
	sum := sha256.Sum256([]byte(strings.Join(fields, "\x00"))) // a text holds no NUL
	return hex.EncodeToString(sum[:16])
}

// variant is how a text is spoken the k-th time: first by each voice in turn, beginning with
// one that the text chooses, then by the same voices at other speeds and pitches.
func variant(text string, k int, s Settings) Request {
	start := int(crc32.ChecksumIEEE([]byte(text)) & 0x7FFF_FFFF)
	r := Request{Text: text, Voice: s.Voices[(start+k)%len(s.Voices)], Speed: s.Speed, Pitch: 1}
	if round := k / len(s.Voices); round > 0 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s", k, text))
		r.Speed *= 0.88 + 0.27*share(sum[0:4])
		r.Pitch *= 0.88 + 0.24*share(sum[4:8])
	}
	return r
}

// share makes a number in [0, 1) of four bytes of a hash.
func share(b []byte) float64 { return float64(binary.LittleEndian.Uint32(b)) / (1 << 32) }
