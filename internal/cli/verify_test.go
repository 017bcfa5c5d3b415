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
// folder it runs in, so that folders, commits and patches make variants of it.
func trainer() {
	args := os.Args[1:]
	if text, err := os.ReadFile("trainer.cfg"); err == nil {
		args = append(args, strings.Fields(string(text))...)
	}
	fs := flag.NewFlagSet("trainer", flag.ExitOnError)
	var (
		log     = fs.String("log", "", "where the steps go")
		steps   = fs.Int("steps", 20, "")
		ms      = fs.Float64("ms", 2, "time of a step")
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
	last := time.Now()
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
		time.Sleep(time.Duration(*ms * float64(time.Millisecond)))
		loss := fmt.Sprintf(`,"loss":%g`, *scale*2/math.Sqrt(1+float64(i)))
		if i == *nan {
			loss = `,"loss":NaN`
		}
		if *quiet {
			loss = ""
		}
		now := time.Now()
		fmt.Fprintf(out, `{"step":%d,"s":%g,"samples":%d%s}`+"\n", i, now.Sub(last).Seconds(), *samples, loss)
		last = now
	}
	out.Flush()
	f.Close()
}
