package dataset

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"saturate/internal/shard"
	"saturate/internal/shard/shardtest"
)

// workOnce is a worker that can be killed: a place, i/N, a log, and milliseconds that each shard takes besides.
func workOnce(args []string) error {
	s, err := shard.Open(args[0], os.TempDir(), os.Getenv)
	if err != nil {
		return err
	}
	p, err := shard.ReadPlan(context.Background(), s)
	if err != nil {
		return err
	}
	settings, err := ParseSettings(p.Settings)
	if err != nil {
		return err
	}
	which, err := shard.Choose(args[1], os.Getenv)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(args[2], os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	slow, _ := strconv.Atoi(args[3])
	o := Defaults()
	o.Dir, o.Workers = p.Dir, 1
	_, err = shard.Work(context.Background(), s, p, which.Mine(len(p.Shards)), func(ctx context.Context, j shard.Job) (shard.Made, error) {
		time.Sleep(time.Duration(slow) * time.Millisecond)
		return settings.MakeShard(ctx, j, o, nil)
	}, func(e shard.Event) { fmt.Fprintf(log, "%s %d\n", e.What, e.Shard) })
	return err
}

// Four workers are killed at random, and started again: the same bytes as from one machine, no shard published twice,
// and at most one shard made again for each kill. With SATURATE_ACCEPT 1,000 shards and 200 kills, in a folder and in
// an object store that fails in 5% of the requests and loses 5% of its replies; SATURATE_TEST_MOTO names moto_server,
// to be that store.
func TestShardsKilledAtRandom(t *testing.T) {
	shards, kills, slow := 60, 8, 5
	if os.Getenv("SATURATE_ACCEPT") != "" {
		shards, kills, slow = 1000, 200, 40
	}
	dir := t.TempDir()
	for i := range 2 * shards {
		write(t, filepath.Join(dir, fmt.Sprintf("%05d.wav", i)), wav(t, 16000, 1, voice(1000+i, uint64(i))))
	}
	o := small(t, dir, "webdataset")
	o.Length = 100 * time.Millisecond
	build(t, find(t, dir), o)
	want := fingerprint(t, o.Output)
	test := func(t *testing.T, place string) {
		s := openStore(t, place)
		p, settings := planFor(t, s, find(t, dir), o, 2)
		log := filepath.Join(t.TempDir(), "log")
		killed := killWorkers(t, place, log, kills, slow)
		if _, _, err := shard.Merge(t.Context(), s, p, true, nil); err != nil {
			t.Fatal(err)
		}
		joined := small(t, dir, "")
		if _, err := settings.Join(t.Context(), s, p, joined); err != nil {
			t.Fatal(err)
		}
		if fingerprint(t, joined.Output) != want {
			t.Error("other bytes than those of one machine")
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		begun, published := map[string]int{}, map[string]int{}
		made := 0
		for line := range strings.Lines(string(text)) {
			what, number, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch what {
			case "begun":
				begun[number]++
				made++
			case "published":
				published[number]++
			case "failed":
				t.Errorf("shard %s failed", number)
			}
		}
		for number, n := range published {
			if n > 1 {
				t.Errorf("shard %s was published %d times", number, n)
			}
		}
		again := made - len(p.Shards)
		if again > killed {
			t.Errorf("%d shards were made again after %d kills", again, killed)
		}
		t.Logf("%d shards by 4 workers, %d kills: %d shards begun again, none published twice, joined bytes equal to one machine's", len(p.Shards), killed, again)
	}
	t.Run("folder", func(t *testing.T) {
		place := filepath.Join(t.TempDir(), "plan")
		test(t, place)
		if left, _ := filepath.Glob(filepath.Join(place, "work", "*")); len(left) > 0 {
			t.Errorf("left lying: %v", left)
		}
	})
	t.Run("s3", func(t *testing.T) {
		server := shardtest.New()
		var handler http.Handler = server
		moto := os.Getenv("SATURATE_TEST_MOTO")
		if _, err := exec.LookPath(moto); moto != "" && err != nil {
			t.Logf("%v: the store is this test's own", err)
			moto = ""
		}
		if moto != "" {
			handler = startMoto(t, moto)
		}
		proxy := shardtest.Before(handler, 0.05, 11)
		at := httptest.NewServer(proxy)
		defer at.Close()
		t.Setenv("AWS_ENDPOINT_URL", at.URL)
		t.Setenv("AWS_ACCESS_KEY_ID", "test")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
		t.Setenv("TMPDIR", t.TempDir())
		test(t, "s3://features/train")
		for name, n := range server.Puts {
			if n > 1 && !strings.HasSuffix(name, "/inputs.jsonl") && !strings.HasSuffix(name, "/dataset.json") {
				t.Errorf("%s was accepted %d times", name, n)
			}
		}
		t.Logf("store %q: %d requests, %d answered with an error, %d replies lost", moto, proxy.Requests.Load(), proxy.Errors.Load(), proxy.Lost.Load())
	})
}

// killWorkers runs four workers until all have finished, and kills one of them at random again and again.
func killWorkers(t *testing.T, place, log string, kills, slow int) (killed int) {
	t.Helper()
	random := rand.New(rand.NewPCG(4, 36))
	type ended struct {
		worker int
		err    error
	}
	ends := make(chan ended, 4)
	processes, said := make([]*exec.Cmd, 4), make([]bytes.Buffer, 4)
	start := func(i int) {
		said[i].Reset()
		cmd := exec.Command(os.Args[0], "work-to-be-killed", place, fmt.Sprintf("%d/4", i), log, fmt.Sprint(slow))
		cmd.Stderr = &said[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes[i] = cmd
		go func() { ends <- ended{i, cmd.Wait()} }()
	}
	for i := range 4 {
		start(i)
	}
	running := 4
	for running > 0 {
		timer := time.After(time.Duration(20+random.IntN(80)) * time.Millisecond)
		select {
		case e := <-ends:
			state := processes[e.worker].ProcessState.Sys().(syscall.WaitStatus)
			switch {
			case e.err == nil:
				processes[e.worker] = nil
				running--
			case state.Signal() == syscall.SIGKILL:
				start(e.worker)
			default:
				t.Fatalf("worker %d: %v %s", e.worker, e.err, said[e.worker].String())
			}
		case <-timer:
			if i := random.IntN(4); killed < kills && processes[i] != nil && processes[i].Process.Signal(syscall.SIGKILL) == nil {
				killed++
			}
		}
	}
	return killed
}

// startMoto starts a real S3 server of another make.
func startMoto(t *testing.T, program string) http.Handler {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(at)
	cmd := exec.Command(program, "-H", "127.0.0.1", "-p", port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for range 300 {
		r, err := http.NewRequest(http.MethodPut, "http://"+at+"/features", nil)
		if err != nil {
			t.Fatal(err)
		}
		if reply, err := http.DefaultClient.Do(r); err == nil {
			reply.Body.Close()
			handler, err := shardtest.Server("http://" + at)
			if err != nil {
				t.Fatal(err)
			}
			return handler
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("moto_server did not start")
	return nil
}
