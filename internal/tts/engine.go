package tts

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Engine turns text into audio.
type Engine interface {
	Name() string
	// Prepare checks, before any work, that the engine is there and knows the voices.
	Prepare(ctx context.Context, voices []string) (Identity, error)
	// Speak gives a whole audio file in any format that package audio reads. An engine that must wait for its turn
	// before has a method Turn(ctx) error: the time of a text does not run yet.
	Speak(ctx context.Context, r Request) ([]byte, error)
}

// Identity is what, besides text and voice, decides how an engine sounds. Other identity, other files.
type Identity struct {
	Version  string `json:"version"`
	Settings string `json:"settings,omitempty"`
}

// Request is one text to be spoken.
type Request struct {
	Text  string
	Voice string
	Speed float64 // 1 is the engine's own
	Pitch float64
}

// Config is what the user says about engines.
type Config struct {
	Command   string   // command: the words of the program
	Server    string   // openai: the address up to /v1
	PlainHTTP bool     // openai: the address may be http on another machine
	Model     string   // openai
	Key       string   // openai: from the environment
	PerMinute int      // openai: most requests a minute, 0 for any number
	Words     int      // espeak-ng: words a minute
	Env       []string // of programs that are started
}

// Engines are all there are, in the order of the help.
var Engines = []struct {
	Name    string
	About   string // for the help
	Voices  string // the default
	Workers func(cpus int) int
	New     func(Config) (Engine, error)
}{
	{"espeak-ng", "the installed program; voices such as en-us, en-gb+f3, de", "en-us", perCPU, newEspeak},
	{
		"command", "any program: it gets the text on stdin or in {text_file} and writes audio to stdout or {out};\n" +
			"{voice} and {speed} are filled in; no shell is used",
		"default", perCPU, newCommand,
	},
	{
		"openai", "a server with POST …/audio/speech; the key comes from OPENAI_API_KEY only",
		"alloy", func(int) int { return 8 }, newOpenAI,
	},
	{"formant", "built in and deterministic; for tests and demos, not for training a product", "m1", perCPU, func(Config) (Engine, error) { return formantEngine{}, nil }},
}

func perCPU(cpus int) int { return cpus }

// EngineNames are the names of all engines.
func EngineNames() []string {
	var names []string
	for _, e := range Engines {
		names = append(names, e.Name)
	}
	return names
}

// ErrMissing is an engine that is not installed.
var ErrMissing = errors.New("engine not available")

// failure is an engine's error with what is to be done about it.
type failure struct {
	err   error
	kind  failureKind
	after time.Duration // wait at least this long before the next try
}

type failureKind int

const (
	passing failureKind = iota // try again
	lasting                    // this text will never work
	ending                     // no text will work
)

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// permanent is an error of one text that another try will not mend.
func permanent(format string, args ...any) error {
	return &failure{err: fmt.Errorf(format, args...), kind: lasting}
}

// hopeless is an error that every text would meet.
func hopeless(format string, args ...any) error {
	return &failure{err: fmt.Errorf(format, args...), kind: ending}
}

func isEnding(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.kind == ending
}

// later is an error that passes, after some time.
func later(after time.Duration, format string, args ...any) error {
	return &failure{err: fmt.Errorf(format, args...), after: after}
}
