package cli

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"time"
)

// trainer is a program for the scripts that writes its own steps. What it does stands in trainer.cfg of the
// folder it runs in, so that folders, commits and patches make variants of it. It says how long its steps
// take instead of taking that long, so that no script depends on the machine.
func trainer() {
	args := os.Args[1:]
	if text, err := os.ReadFile("trainer.cfg"); err == nil {
		args = append(args, strings.Fields(string(text))...)
	}
	fs := flag.NewFlagSet("trainer", flag.ExitOnError)
	var (
		log     = fs.String("log", "", "where the steps go")
		steps   = fs.Int("steps", 20, "")
		ms      = fs.Float64("ms", 2, "time of a step, as it says")
		sleep   = fs.Duration("sleep", 0, "how long it really takes")
		samples = fs.Int("samples", 8, "of a step")
		scale   = fs.Float64("loss", 1, "factor of the loss")
		nan     = fs.Int("nan", -1, "step at which the loss is NaN")
		crash   = fs.Int("crash", -1, "step at which it crashes")
		hang    = fs.Int("hang", -1, "step at which it hangs")
		quiet   = fs.Bool("no-loss", false, "tell no loss")
	)
	_ = fs.Parse(args)
	f, err := os.Create(*log)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := bufio.NewWriter(f)
	time.Sleep(*sleep)
	for i := range *steps {
		switch i {
		case *crash:
			out.Flush()
			fmt.Fprintln(os.Stderr, "RuntimeError: shape mismatch")
			os.Exit(3)
		case *hang:
			out.Flush()
			time.Sleep(time.Hour)
		}
		seconds := *ms / 1000 * (1 + 0.002*math.Sin(float64(i*i+os.Getpid())))
		loss := fmt.Sprintf(`,"loss":%g`, *scale*2/math.Sqrt(1+float64(i)))
		if i == *nan {
			loss = `,"loss":NaN`
		}
		if *quiet {
			loss = ""
		}
		fmt.Fprintf(out, `{"step":%d,"s":%g,"samples":%d%s}`+"\n", i, seconds, *samples, loss)
	}
	out.Flush()
	f.Close()
}
