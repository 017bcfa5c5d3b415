// Package rule judges a training project: each rule is data and one function, a file of its own.
//
// OnSource runs every selected rule over every module and settings file of a
// project, in parallel, and returns the findings worst first. What a rule can
// ask is in SourcePass (for Python) and SettingsPass (for YAML, JSON and TOML):
//
//	calls       CallsTo, Constructions, MethodCalls; Call.Arg gives a Value with its origin
//	time        PerSample, Hot, EachStep, EvaluationOnly, Rare, TrainingLoops, ForwardPasses, LoopAround
//	evidence    FeedsGPU, GPU, AtLeast, Uses, NearSays, Under, Classes, OnDevice, Varies
//	frameworks  HFArguments, CommandLineArguments, TrainerSettings, Pretrained, JAXLoops, Jitted
//	verdicts    Report(node, confidence).Saying(…).Because(…).Fix(…), Observe
//	repairs     Value.SetTo, Replace, Insert, Import
//
// # How to write a rule
//
// go run ./internal/rule/newrule SAT321 some-name writes the skeleton.
//
// A rule is one screen: see sat203_no_pin_memory.go. It lives in a file named
// after its code and name, with what it alone needs; what serves several rules
// is in the pass_*.go of its subject, and a repair of some length in a fix_*.go.
// Its tests are in testdata/<its name>: Python files, or folders that are
// projects, whose lines say what is expected of them,
//
//	loader = DataLoader(data)  # want SAT203 "pageable memory"
//
// beside near misses, which expect nothing. If a rule has a fix, the file with
// the fix applied is kept as <file>.golden and checked: it parses, and the
// finding is gone. Confidence falls where a value is not known: pass
// Value.Confidence() on. If a rule grows past a screen, the pass lacks a word.
package rule
