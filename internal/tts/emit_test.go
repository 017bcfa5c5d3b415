package tts

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const userModule = `
import math, os, time
def speak(text, voice):
    open("asked.log", "a").write(text + "\n")
    if "broken" in text:
        raise RuntimeError("cannot say that")
    if os.environ.get("SLOW"):
        time.sleep(0.02)
    f = {"low": 100, "high": 300}.get(voice, 200) + len(text)
    return [math.sin(2 * math.pi * f * i / 16000) * 0.3 for i in range(800)], 16000
def as_bytes(text, voice):
    import io, wave
    out = io.BytesIO()
    with wave.open(out, "wb") as w:
        w.setparams((1, 2, 8000, 0, "NONE", "")); w.writeframes(b"\x01\x02" * 400)
    return out.getvalue()
def truncated(text, voice):
    return as_bytes(text, voice)[:300]
`

// python runs the emitted script on texts in its own folder.
func python(t *testing.T, dir, function string, env []string, args ...string) (string, error) {
	t.Helper()
	program, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	text, err := PythonScript(function, "1")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"precompute_tts.py": text, "my_tts.py": userModule} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, append([]string{"precompute_tts.py"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestPythonScript(t *testing.T) {
	dir := t.TempDir()
	csv := "id,text\n1,hello there\n2,\"-a, b\"\n3,hello there\n"
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte(csv), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := python(t, dir, "my_tts:speak", nil, "a.csv", "-o", "out", "--voices", "low,high", "--variants", "2")
	if err != nil {
		t.Fatal(out)
	}
	list := checkFolder(t, filepath.Join(dir, "out"), 6)
	if list[0].Text != "hello there" || list[0].Voice == list[1].Voice || list[4].AudioFilepath != list[0].AudioFilepath || list[0].Duration != 0.05 {
		t.Errorf("%+v", list)
	}
	data, _ := os.ReadFile(filepath.Join(dir, "out", "manifest.json"))
	if !strings.Contains(string(data), `"id": "2"`) {
		t.Errorf("the other columns are gone: %s", data)
	}
	// Again: nothing is asked. Other settings: refused. Broken texts: listed.
	os.Remove(filepath.Join(dir, "asked.log"))
	if out, err := python(t, dir, "my_tts:speak", nil, "a.csv", "-o", "out", "--voices", "low,high", "--variants", "2"); err != nil {
		t.Error(out)
	}
	if _, err := os.Stat(filepath.Join(dir, "asked.log")); err == nil {
		t.Error("the second run spoke again")
	}
	if out, err := python(t, dir, "my_tts:speak", nil, "a.csv", "-o", "out"); err == nil || !strings.Contains(out, "other settings") {
		t.Errorf("%v %s", err, out)
	}
	os.WriteFile(filepath.Join(dir, "b.txt"), []byte("fine\nbroken\n\nb\xffd\n"), 0o644)
	if out, err := python(t, dir, "my_tts:speak", nil, "b.txt", "-o", "out2", "--retries", "0"); err == nil || !strings.Contains(out, "2 failures") {
		t.Errorf("%v %s", err, out)
	}
	failures, _ := os.ReadFile(filepath.Join(dir, "out2", failuresName))
	if !strings.Contains(string(failures), "not valid UTF-8") || !strings.Contains(string(failures), "RuntimeError: cannot say that") {
		t.Errorf("%s", failures)
	}
	if out, err := python(t, dir, "my_tts:as_bytes", nil, "a.csv", "-o", "out3"); err != nil {
		t.Error(out)
	}
	checkFolder(t, filepath.Join(dir, "out3"), 3)
	os.WriteFile(filepath.Join(dir, "c.jsonl"), []byte(`{"text": "hello", "voice": "x", "input_voice": "y"}`), 0o644)
	if out, err := python(t, dir, "my_tts:speak", nil, "c.jsonl", "-o", "out5"); err != nil {
		t.Error(out)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "out5", "manifest.json")); !strings.Contains(string(data), `"input_input_voice": "x", "input_voice": "y"`) {
		t.Errorf("%s", data)
	}
	if out, err := python(t, dir, "my_tts:speak", nil, "c.jsonl", "-o", "."); err != nil {
		t.Error(out)
	}
	os.RemoveAll(filepath.Join(dir, stateFolder))
	if out, err := python(t, dir, "my_tts:speak", nil, "c.jsonl", "-o", "."); err == nil || !strings.Contains(out, "did not write") {
		t.Errorf("%v %s", err, out)
	}
	if out, err := python(t, dir, "my_tts:truncated", nil, "a.csv", "-o", "out4", "--retries", "0"); err == nil {
		t.Error("truncated audio was taken: ", out)
	}
}

// Names do not depend on who makes them: the script hashes as MakePlan does.
func TestPythonScriptNames(t *testing.T) {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "a.txt"), []byte("grüße\n"), 0o644)
	if out, err := python(t, dir, "my_tts:speak", nil, "a.txt", "-o", "out", "--voices", "v"); err != nil {
		t.Fatal(out)
	}
	s := Settings{Engine: "python", Identity: Identity{Version: "1", Settings: "my_tts:speak"}}
	want := Job{Key: s.key(Request{Text: "grüße", Voice: "v", Speed: 1, Pitch: 1})}.File()
	if _, err := os.Stat(filepath.Join(dir, "out", want)); err != nil {
		t.Error(err)
	}
}

func TestPythonScriptKilled(t *testing.T) {
	dir := t.TempDir()
	var texts strings.Builder
	for i := range 60 {
		fmt.Fprintf(&texts, "text %d\n", i)
	}
	os.WriteFile(filepath.Join(dir, "a.txt"), []byte(texts.String()), 0o644)
	if out, err := python(t, dir, "my_tts:speak", nil, "a.txt", "-o", "none", "--variants", "9"); err == nil {
		t.Error("nine variants of one voice are taken: ", out)
	}
	// What another kill left: in the middle of writing a file.
	state := filepath.Join(dir, "out", stateFolder)
	if err := errors.Join(os.MkdirAll(filepath.Join(state, "tmp"), 0o755), os.WriteFile(filepath.Join(state, "tmp", "half"), []byte("RIFF"), 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "precompute_tts.py", "a.txt", "-o", "out")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "SLOW=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	journal := filepath.Join(state, journalName)
	for {
		if data, _ := os.ReadFile(journal); strings.Count(string(data), "\n") > 10 {
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("it ended before it was killed: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	cmd.Process.Kill()
	<-ended
	f, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"key": "half`)
	f.Close()
	if out, err := python(t, dir, "my_tts:speak", nil, "a.txt", "-o", "out"); err != nil {
		t.Fatal(out)
	}
	checkFolder(t, filepath.Join(dir, "out"), 60)
	asked, _ := os.ReadFile(filepath.Join(dir, "asked.log"))
	if n := strings.Count(string(asked), "\n"); n > 62 { // what was in hand when it was killed is spoken again
		t.Errorf("60 texts were spoken %d times", n)
	}
	var header struct{ Settings map[string]any }
	data, _ := os.ReadFile(journal)
	if err := json.Unmarshal([]byte(strings.SplitN(string(data), "\n", 2)[0]), &header); err != nil || header.Settings["function"] != "my_tts:speak" {
		t.Errorf("%v %v", header, err)
	}
}

// TestPythonScriptLinks: what others have planted in the folder is not written through.
func TestPythonScriptLinks(t *testing.T) {
	for _, planted := range []string{"lock", "tmp", "."} {
		dir, theirs := t.TempDir(), t.TempDir()
		state := filepath.Join(dir, "out", stateFolder)
		precious := filepath.Join(theirs, "tmp", "precious")
		if err := errors.Join(os.MkdirAll(filepath.Dir(precious), 0o755), os.WriteFile(precious, []byte("mine"), 0o644),
			os.WriteFile(filepath.Join(dir, "a.txt"), []byte("text\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
		var err error
		switch planted {
		case "lock":
			err = errors.Join(os.MkdirAll(state, 0o755), os.Symlink(precious, filepath.Join(state, planted)))
		case "tmp":
			err = errors.Join(os.MkdirAll(state, 0o755), os.Symlink(filepath.Dir(precious), filepath.Join(state, planted)))
		default:
			err = errors.Join(os.MkdirAll(filepath.Dir(state), 0o755), os.Symlink(theirs, state))
		}
		if err != nil {
			t.Fatal(err)
		}
		if out, err := python(t, dir, "my_tts:speak", nil, "a.txt", "-o", "out"); err == nil || strings.Contains(out, "Traceback") {
			t.Errorf("%s: %v %s", planted, err, out)
		}
		if data, err := os.ReadFile(precious); string(data) != "mine" {
			t.Errorf("%s: %q, %v", planted, data, err)
		}
	}
}

func TestPythonScriptRefuses(t *testing.T) {
	for _, function := range []string{"", "speak", "a:b()", "os;x:y", "a:\"b"} {
		if _, err := PythonScript(function, "1"); err == nil {
			t.Errorf("%q is taken", function)
		}
	}
	if _, err := PythonScript("a:b", "\""); err == nil {
		t.Error("a quotation mark is taken")
	}
}
