package tts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"saturate/internal/files"
	"saturate/internal/process"
)

// command is any program: the text by standard input or in a file, audio by standard output or in a file.
type command struct {
	words  []string
	shown  string
	env    []string
	toFile bool
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// placeholders are what may stand in the words of a command.
var placeholders = []string{"{text_file}", "{out}", "{voice}", "{speed}"}

func newCommand(c Config) (Engine, error) {
	if strings.TrimSpace(c.Command) == "" {
		return nil, errors.New(`--engine command needs --command, such as --command 'piper --model {voice} --output_file {out}'`)
	}
	words, err := process.Words(c.Command)
	if err != nil {
		return nil, err
	}
	for _, w := range words {
		for _, p := range placeholder.FindAllString(w, -1) {
			if p == "{text}" {
				return nil, errors.New("{text} is unsafe as an argument; use stdin or {text_file}")
			}
			known := false
			for _, k := range placeholders {
				known = known || k == p
			}
			if !known {
				return nil, fmt.Errorf("--command: unknown placeholder %s; use %s", p, strings.Join(placeholders, ", "))
			}
		}
	}
	return command{words: words, shown: c.Command, env: c.Env, toFile: strings.Contains(c.Command, "{out}")}, nil
}

func (command) Name() string { return "command" }

// Prepare takes the program's own size and age as its version: a new program makes new files.
func (c command) Prepare(context.Context, []string) (Identity, error) {
	path, err := exec.LookPath(c.words[0])
	if err != nil {
		return Identity{}, fmt.Errorf("%w: program %s not found", ErrMissing, c.words[0])
	}
	stat, err := os.Stat(path)
	if err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrMissing, err)
	}
	return Identity{Version: fmt.Sprintf("%d-%d", stat.Size(), stat.ModTime().Unix()), Settings: c.shown}, nil
}

func (c command) Speak(ctx context.Context, r Request) ([]byte, error) {
	dir, err := os.MkdirTemp("", "saturate-tts-*")
	if err != nil {
		return nil, hopeless("cannot create a folder for the program's files: %w", err)
	}
	defer os.RemoveAll(dir)
	out, textFile := filepath.Join(dir, "out.wav"), filepath.Join(dir, "text.txt")
	if err := files.WriteMode(textFile, []byte(r.Text), files.Private); err != nil {
		return nil, hopeless("cannot write the text for the program: %w", err)
	}
	fill := strings.NewReplacer("{text_file}", textFile, "{out}", out, "{voice}", r.Voice,
		"{speed}", strconv.FormatFloat(r.Speed, 'f', 3, 64))
	var argv []string
	for _, w := range c.words {
		argv = append(argv, fill.Replace(w))
	}
	data, err := runProgram(ctx, c.env, argv, r.Text)
	if err != nil || !c.toFile {
		return data, err
	}
	if data, err = files.Read(out, files.MaxAudio); err != nil {
		return nil, later(0, "%s wrote no file to {out}", argv[0])
	}
	return data, nil
}
