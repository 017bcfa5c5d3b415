package tts

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"strings"
)

// espeak is the installed espeak-ng. The text goes through standard input, so that one that
// begins with a dash is never an option.
type espeak struct {
	words int
	env   []string
}

const espeakProgram = "espeak-ng"

func newEspeak(c Config) (Engine, error) {
	words := c.Words
	if words == 0 {
		words = 175
	}
	if words < 80 || words > 450 {
		return nil, fmt.Errorf("espeak-ng supports 80 to 450 words per minute, not %d", words)
	}
	return espeak{words, c.Env}, nil
}

func (espeak) Name() string { return espeakProgram }

func (e espeak) Prepare(ctx context.Context, voices []string) (Identity, error) {
	if _, err := exec.LookPath(espeakProgram); err != nil {
		return Identity{}, fmt.Errorf("%w: espeak-ng is not installed (Debian: apt-get "+
			"install espeak-ng); --engine formant is built in", ErrMissing)
	}
	out, err := runProgram(ctx, e.env, []string{espeakProgram, "--version"}, "")
	if err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	for _, v := range voices {
		if strings.HasPrefix(v, "-") {
			return Identity{}, fmt.Errorf("espeak-ng has no voice %q", v)
		}
		if _, err := runProgram(ctx, e.env, []string{espeakProgram, "-q", "-v", v, "--stdin"}, "a"); err != nil {
			return Identity{}, fmt.Errorf("espeak-ng cannot use the voice %q; `espeak-ng --voices` lists all voices: %w", v, err)
		}
	}
	// "eSpeak NG text-to-speech: 1.51  Data at: /usr/lib/…": the folder does not change the sound.
	version, _, _ := strings.Cut(string(out), "Data at")
	_, number, ok := strings.Cut(version, ":")
	if !ok {
		number = version
	}
	return Identity{Version: strings.TrimSpace(number), Settings: fmt.Sprintf("words=%d", e.words)}, nil
}

func (e espeak) Speak(ctx context.Context, r Request) ([]byte, error) {
	speed := int(math.Round(min(max(float64(e.words)*r.Speed, 80), 450)))
	pitch := int(math.Round(min(max(50*r.Pitch, 0), 99)))
	out, err := runProgram(ctx, e.env, []string{
		espeakProgram, "-v", r.Voice, "-s", fmt.Sprint(speed), "-p", fmt.Sprint(pitch), "-b", "1", "--stdin", "--stdout",
	}, r.Text)
	if err == nil && len(out) == 0 {
		return nil, permanent("espeak-ng produces no sound for this text")
	}
	return out, err
}
