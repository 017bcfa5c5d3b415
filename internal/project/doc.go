// Package project reads a user's training project and answers what a rule asks about it.
//
// The pipeline:
//
//  1. walk      which files belong (walk.go, ignore.go)
//
// 2. read      Python, notebooks, settings, versions, scripts; a bad file becomes a Warning
// (read.go, notebook.go, settings*.go, version*.go, script.go)
//  3. index     one pass over each tree: scopes, blocks, classes, functions, call sites (index*.go)
//  4. link      imports to modules, bases to classes, calls to what they call (imports.go, class.go, site.go)
//  5. place     what runs per sample, per step, only in evaluation (sample.go, loop.go, region.go)
//
// Steps 2 to 4 run in parallel, a file at a time. After Load a Project is
// immutable and may be shared; what is asked later (a value, a type) is worked
// out by an Eval, which each reader makes for itself.
//
// # What an expression stands for
//
// Eval answers with a Value: a literal, a class, a function, an instance, a key
// of a settings file, or nothing known. A Value says where it is set (Origin), so
// that a repair can edit that place, and how sure that is.
//
// Names of libraries are canonical: torch.utils.data.DataLoader however it was
// imported, lightning.pytorch for pytorch_lightning. The name of an attribute of
// an instance is its class's name and the attribute's: gtts.gTTS.save. What a
// library function returns is written with parentheses: boto3.client().get_object.
//
// # Three words about time
//
// A node is per sample when a dataset, a collate function or a transform reaches
// it; hot when it runs once per training step; cold when a guard such as
// step % 100 == 0 stands before it.
package project
