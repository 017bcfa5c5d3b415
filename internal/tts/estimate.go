package tts

import (
	"cmp"
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"saturate/internal/audio"
	"saturate/internal/files"
	"saturate/internal/human"
)

// Estimate is what a run will need.
type Estimate struct {
	Files        int     `json:"files"`              // still to be made
	AudioSeconds float64 `json:"audio_seconds"`      // length of the audio
	Bytes        int64   `json:"bytes"`              // of the files
	FreeBytes    int64   `json:"free_bytes"`         // -1 when it is not known
	Seconds      float64 `json:"seconds"`            // 0 when nothing was tried
	Tried        int     `json:"tried_on,omitempty"` // texts that were spoken to find out
}

// Before anything is spoken: English at the usual speed, a little slower to be on the safe side.
const (
	charactersPerSecond = 13.0
	pauseSeconds        = 0.5
	triedTexts          = 6
)

// roughly estimates from the length of the texts alone.
func roughly(jobs []Job, rate int, dir string) Estimate {
	e := Estimate{Files: len(jobs), FreeBytes: files.Room(dir)}
	for _, j := range jobs {
		e.AudioSeconds += float64(utf8.RuneCountInString(j.Request.Text))/charactersPerSecond/j.Request.Speed + pauseSeconds
	}
	e.Bytes = bytesFor(e.AudioSeconds, len(jobs), rate)
	return e
}

// byTrying speaks a few texts, spread over all, and goes by their length and time. Nothing is kept. It is an error when
// none can be spoken.
func byTrying(ctx context.Context, engine Engine, jobs []Job, opt Options, dir string) (Estimate, error) {
	e := roughly(jobs, opt.Rate, dir)
	characters, tried, audioSeconds := 0, 0, 0.0
	var reason error
	start := time.Now()
	for i := range min(triedTexts, len(jobs)) {
		j := jobs[i*len(jobs)/min(triedTexts, len(jobs))]
		samples, err := speak(ctx, engine, j.Request, opt)
		if err != nil {
			reason = cmp.Or(reason, err)
			continue
		}
		tried++
		characters += utf8.RuneCountInString(j.Request.Text)
		audioSeconds += float64(len(samples)) / float64(opt.Rate)
	}
	switch {
	case ctx.Err() != nil:
		return e, ctx.Err()
	case tried == 0 && reason != nil:
		return e, fmt.Errorf("cannot estimate: none of %s could be spoken: %w", human.Plural(min(triedTexts, len(jobs)),
			"text"), reason)
	case characters == 0:
		return e, nil
	}
	wall := time.Since(start).Seconds()
	all := 0
	for _, j := range jobs {
		all += utf8.RuneCountInString(j.Request.Text)
	}
	scale := float64(all) / float64(characters)
	e.Tried = tried
	e.AudioSeconds = audioSeconds * scale
	e.Bytes = bytesFor(e.AudioSeconds, len(jobs), opt.Rate)
	e.Seconds = wall * scale / float64(opt.Workers)
	return e, nil
}

func bytesFor(seconds float64, files, rate int) int64 {
	const block = 4096 // a file's last block is half empty on average
	return int64(seconds*float64(rate)*2) + int64(files)*(audio.WAVHeaderSize+block/2)
}
