package project

// Levels of confidence, 0 to 1. A finding's confidence is the product of what it rests on.
const (
	Certain       = 1.0
	NearlyCertain = 0.9
	Likely        = 0.8
	Probable      = 0.7
	Plausible     = 0.6
	Perhaps       = 0.5
)

// throughCall is the factor by which a confidence falls with each call or import that it passes through.
const throughCall = 0.95

// GPUElsewhere is the confidence that a module runs on a GPU if only unrelated modules of the project mention one.
// Rules about the GPU require more.
const GPUElsewhere = Probable

// throughParts is the factor for a tensor that is one of several parts: of a dict, of what a loop goes through, of what a function
// returns. What lies on the device seldom has parts that do not.
const throughParts = 0.97
