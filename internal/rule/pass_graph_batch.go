package rule

import "saturate/internal/project"

// passesMessages reports a program whose network sends messages along the edges of graphs: gathering and adding them, which
// no tensor core does, takes its time.
func (p *SourcePass) passesMessages() bool {
	return p.nearCalls("dgl.*", "torch_geometric.nn.*", "torch_scatter.*", "torch_sparse.*")
}

// loadsGraphs reports a program whose batches are graphs of a library that can neither pin them nor copy them without
// waiting: dgl before 0.8, torch_geometric before 2.0.
func (p *SourcePass) loadsGraphs() bool {
	return p.nearCalls("dgl.*") && p.AtLeast("dgl", "0.8") != project.Yes ||
		p.nearCalls("torch_geometric.*") && p.AtLeast("torch-geometric", "2.0") == project.No
}
