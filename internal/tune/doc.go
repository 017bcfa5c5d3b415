// Package tune runs a program with the settings that fit its machine, and tells which of them took effect and helped.
//
//	Machine, level ─> setting.Choose ─> settings to use, candidates, and what is left out   plan.go
//	settings ─> variables and a plan for saturate_tune ─> the program, under the probe      attempt.go
//	crashed ─> without them ─> halving ─> the settings that it crashes with are dropped     blame.go
//	level 2, or --measure: candidates ─> verify, each in pairs ─> Holm ─> the winner,
//	confirmed on fresh blocks                                                 entrants.go, contest.go, measure.go
//	what saturate_tune reports ─> Lines: requested, in effect, effect, numerics             line.go
//
// The program always runs in the end: with the settings that were chosen, without those that it fails with, with the
// safe ones alone, or with none; the Result says which. Measurements are kept in a state folder, block by block, and
// the same call resumes with them.
package tune
