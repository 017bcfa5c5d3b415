package agent

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/config"
	"saturate/internal/files"
	"saturate/internal/patch"
)

// host is a coding agent that can be set up.
type host struct {
	name     string
	settings string   // its project file of MCP servers
	under    []string // where servers stand in it; nil for TOML
	skill    string
}

// hosts is the list: a further agent is a line here.
var hosts = []host{
	{"claude", ".mcp.json", []string{"mcpServers"}, ".claude/skills/saturate/SKILL.md"},
	{"codex", ".codex/config.toml", nil, ".agents/skills/saturate/SKILL.md"},
	{"cursor", ".cursor/mcp.json", []string{"mcpServers"}, ".agents/skills/saturate/SKILL.md"},
	{"gemini", ".gemini/settings.json", []string{"mcpServers"}, ".agents/skills/saturate/SKILL.md"},
	{"vscode", ".vscode/mcp.json", []string{"servers"}, ".agents/skills/saturate/SKILL.md"},
}

// Hosts are the names of the agents that can be set up.
func Hosts() (names []string) {
	for _, h := range hosts {
		names = append(names, h.name)
	}
	return names
}

//go:embed skill.md
var skill []byte

// Setup is what has to change in a project so that an agent uses saturate, or no longer does.
type Setup struct {
	Agent   string
	Dir     string
	Changes []patch.Change // paths below Dir; New is nil where a file goes
	theirs  []string       // of these, the files that hold more than saturate wrote
}

const server = "saturate"

// Install plans the files that make an agent start `saturate mcp` for a program, and teach it the loop.
func Install(dir, name string, program []string) (Setup, error) {
	h, err := hostOf(name)
	if err != nil {
		return Setup{}, err
	}
	args := []string{"mcp"}
	if len(program) > 0 {
		args = append(append(args, "--"), program...)
	}
	return h.plan(dir, func(old []byte) ([]byte, error) {
		if h.under == nil {
			return setTable(old, tableOf(args))
		}
		value, err := json.Marshal(struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		}{"saturate", args})
		if err != nil {
			return nil, err
		}
		return setMember(old, append(slices.Clone(h.under), server), value)
	}, skill)
}

// Remove plans how to take that back.
func Remove(dir, name string) (Setup, error) {
	h, err := hostOf(name)
	if err != nil {
		return Setup{}, err
	}
	return h.plan(dir, h.without, nil)
}

// without is a settings file without what saturate wrote; nil when nothing else is in it.
func (h host) without(old []byte) ([]byte, error) {
	switch {
	case old == nil:
		return nil, nil
	case h.under == nil:
		return setTable(old, "")
	}
	return removeMember(old, append(slices.Clone(h.under), server))
}

func hostOf(name string) (host, error) {
	if i := slices.IndexFunc(hosts, func(h host) bool { return h.name == name }); i >= 0 {
		return hosts[i], nil
	}
	return host{}, fmt.Errorf("unknown agent %q; use one of %s%s", name, strings.Join(Hosts(), ", "),
		config.Hint(name, Hosts()))
}

func (h host) plan(dir string, edit func(old []byte) ([]byte, error), skill []byte) (Setup, error) {
	s := Setup{Agent: h.name, Dir: dir}
	for _, f := range []struct {
		path string
		edit func(old []byte) ([]byte, error)
	}{{h.settings, edit}, {h.skill, func([]byte) ([]byte, error) { return skill, nil }}} {
		old, err := files.Read(filepath.Join(dir, f.path), files.MaxSource)
		if errors.Is(err, fs.ErrNotExist) {
			old, err = nil, nil
		}
		var fresh []byte
		if err == nil {
			fresh, err = f.edit(old)
		}
		if err != nil {
			return s, fmt.Errorf("%s: %w", f.path, err)
		}
		if old != nil && f.path == h.settings {
			if rest, err := h.without(old); err != nil || rest != nil {
				s.theirs = append(s.theirs, f.path)
			}
		}
		if !bytes.Equal(old, fresh) || (old == nil) != (fresh == nil) {
			s.Changes = append(s.Changes, patch.Change{Path: f.path, Old: old, New: fresh})
		}
	}
	return s, nil
}

// Apply writes the changes, and keeps each file that existed beside it. It returns the names of the backups.
func (s Setup) Apply() (backups []string, err error) {
	for _, c := range s.Changes {
		path := filepath.Join(s.Dir, c.Path)
		now, err := files.Read(path, files.MaxSource)
		if errors.Is(err, fs.ErrNotExist) {
			now, err = nil, nil
		}
		if err == nil && !bytes.Equal(now, c.Old) {
			err = fmt.Errorf("%s changed meanwhile; try again", c.Path)
		}
		if err == nil && slices.Contains(s.theirs, c.Path) {
			backup := c.Path + ".before-saturate"
			// the first is the user's own
			if _, missing := os.Lstat(filepath.Join(s.Dir, backup)); errors.Is(missing, fs.ErrNotExist) {
				err = files.Write(filepath.Join(s.Dir, backup), c.Old)
				backups = append(backups, backup)
			}
		}
		switch {
		case err != nil:
		case c.New == nil:
			if err = os.Remove(path); err == nil {
				for dir := filepath.Dir(path); dir != s.Dir && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
					continue // folders that are empty now
				}
			}
		default:
			if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
				err = files.Write(path, c.New)
			}
		}
		if err != nil {
			return backups, err
		}
	}
	return backups, nil
}

const (
	tableBegin = "# saturate: begin\n"
	tableEnd   = "# saturate: end\n"
)

func tableOf(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = strconv.Quote(a)
	}
	return "[mcp_servers.saturate]\ncommand = \"saturate\"\nargs = [" + strings.Join(words, ", ") + "]\n"
}

// setTable writes a table between two comments at the end of a TOML file, or takes it away. The rest stays as it is.
func setTable(old []byte, table string) ([]byte, error) {
	text := string(old)
	if begin := strings.Index(text, tableBegin); begin >= 0 {
		end := strings.Index(text[begin:], tableEnd)
		if end < 0 {
			return nil, errors.New("the comment \"# saturate: end\" is missing; remove the table [mcp_servers.saturate] by hand")
		}
		text = strings.TrimSuffix(text[:begin], "\n") + text[begin+end+len(tableEnd):]
	}
	switch {
	case table == "" && strings.TrimSpace(text) == "":
		return nil, nil
	case table == "":
		return []byte(text), nil
	case strings.Contains(text, "[mcp_servers.saturate]"):
		return nil, errors.New("it has a table [mcp_servers.saturate] of your own; remove it first")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		return nil, errors.New("its last line has no end; add one first")
	}
	return []byte(text + "\n" + tableBegin + table + tableEnd), nil
}
