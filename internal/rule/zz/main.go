package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"saturate/internal/project"
	"saturate/internal/rule"
)

func main() {
	if f := os.Getenv("PROF"); f != "" {
		w, _ := os.Create(f)
		pprof.StartCPUProfile(w)
		defer pprof.StopCPUProfile()
	}
	t0 := time.Now()
	p, err := project.Load(context.Background(), os.Args[1:], project.Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	t1 := time.Now()
	r, err := rule.OnSource(context.Background(), p, rule.Selection{})
	t2 := time.Now()
	for _, w := range p.Warnings {
		fmt.Println("warning", w)
	}
	for _, f := range r.Findings {
		fmt.Printf("%s:%d:%d %s %.2f %s\n    %s\n", f.Where.Path, f.Where.Line, f.Where.Column, f.Code, f.Confidence, f.Message, f.Where.Excerpt)
		for _, e := range f.Evidence {
			fmt.Print("      - ", e.Text)
			if e.Location != nil {
				fmt.Printf(" at %s:%d %s", e.Location.Path, e.Location.Line, e.Location.Excerpt)
			}
			fmt.Println()
		}
		for _, x := range f.Fixes {
			fmt.Println("      fix", x)
		}
	}
	loops := 0
	for _, m := range p.Modules {
		loops += len(p.TrainingLoops(m))
	}
	fmt.Println(len(p.Modules), "modules", p.Lines(), "lines", len(r.Findings), "findings", loops, "loops; load", t1.Sub(t0), "rules", t2.Sub(t1), err)
}
