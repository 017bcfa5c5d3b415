package rule

// rules is every rule, a line each, in order of its code.
var rules = []*Rule{
	&ttsInDataPath,
	&pinMemory,
	&itemInHotLoop,
}
