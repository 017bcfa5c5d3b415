package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestForeignFile: a settings file of another user's is passed over, and the next one is taken.
func TestForeignFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("owners are not known")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "saturate.toml"), []byte("color = \"never\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(filepath.Join(dir, "saturate.toml"), 12345, -1); err != nil {
			t.Fatal(err)
		}
	} else {
		defer func(before func() int) { myself = before }(myself)
		myself = func() int { return 12345 }
	}
	c, err := Load([]Setting{{Key: "color", Default: "auto"}}, Sources{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if v := c.Get("color"); v.Origin != "default" {
		t.Errorf("the value is %q from %s", v.Value, v.Origin)
	}
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "belongs to another user") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

// TestNotForProjects: what a project may not say can be said by its user.
func TestNotForProjects(t *testing.T) {
	settings := []Setting{{Key: "mel.ffmpeg", InProject: Personal}, {Key: "runs", InProject: InsideProject}}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for text, want := range map[string]string{
		"runs = \"mine\"":              "",
		"runs = \"../mine\"":           "runs leads out of the project",
		"runs = \"/mine\"":             "runs leads out of the project",
		"[mel]\nffmpeg = \"./ffmpeg\"": "saturate.toml:2: mel.ffmpeg is for the user to choose, not for a project; use --ffmpeg or SATURATE_MEL_FFMPEG",
	} {
		write("saturate.toml", text)
		_, err := Load(settings, Sources{Dir: dir})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	c, err := Load(settings, Sources{User: write("own.toml", "runs = \"/data/runs\"\n[mel]\nffmpeg = \"/opt/ffmpeg\"")})
	if err != nil || c.Get("mel.ffmpeg").Value != "/opt/ffmpeg" || c.Get("runs").Value != "/data/runs" {
		t.Errorf("the user's own file: %v, %v", c.All(), err)
	}
}
