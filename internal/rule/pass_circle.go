package rule

// open is a question about a place of a project that is being answered.
type open struct {
	question string
	place    any
}

// enters opens a question about a place, if it is not open already: code may lead back to itself, and a question that
// follows it has to end. Who enters calls leaves.
func (p *SourcePass) enters(question string, place any) bool {
	asked := open{question, place}
	if p.shared.open[asked] {
		return false
	}
	p.shared.open[asked] = true
	return true
}

func (p *SourcePass) leaves(question string, place any) {
	delete(p.shared.open, open{question, place})
}
