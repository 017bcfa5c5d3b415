package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"

	"saturate/internal/files"
	"saturate/internal/progress"
)

// watched are the commands that take long enough to be looked at meanwhile.
var watched = []string{"profile", "optimize", "demo", "tune", "verify", "bench", "mel", "tts"}

// liveJournal is where a command tells how far it is, for `saturate serve`.
func (e *Env) liveJournal(command string) *progress.Journal {
	folder := e.liveFolder(e.path(e.Config.Get("runs").Value))
	if folder == "" || !slices.Contains(watched, command) {
		return nil
	}
	return &progress.Journal{Folder: folder, Command: command}
}

// liveFolder is where the commands that use a folder of Runs tell how far they are: a place of the user's own, not the
// project.
func (e *Env) liveFolder(runs string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	name := sha256.Sum256([]byte(files.Real(runs)))
	return filepath.Join(cache, "saturate", "live", hex.EncodeToString(name[:8]))
}
