package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// heirMethods are the methods that a library's class calls of the classes that derive from it, by the class and the method
// that calls them.
var heirMethods = map[string]map[string][]string{
	"torch_geometric.nn.MessagePassing": {
		"propagate":    {"message", "message_and_aggregate", "aggregate", "update"},
		"edge_updater": {"edge_update"},
	},
	"torch.nn.TransformerEncoderLayer": {"forward": {"_sa_block", "_ff_block"}},
	"torch.nn.TransformerDecoderLayer": {"forward": {"_sa_block", "_mha_block", "_ff_block"}},
	"transformers.PreTrainedModel":     {"generate": {"forward", "prepare_inputs_for_generation"}},
}

// calledOfHeirs are the methods of the receiver's class that a library's method calls: of self.propagate(edges, x=x), message.
func (e *Eval) calledOfHeirs(s *Site) (list []*Function) {
	of, ok := s.Node.Func.(*pysrc.Attribute)
	if !ok {
		return e.forwardsOfHeirs(s)
	}
	for base, calls := range heirMethods {
		methods := calls[of.Attr]
		if methods == nil {
			continue
		}
		c := e.expr(of.Value, s.scope()).Class
		if c == nil || !c.Derives(base) {
			continue
		}
		for _, name := range methods {
			if f := c.Method(name); f != nil && f.Def != nil {
				list = append(list, f)
			}
		}
	}
	return list
}

// forwardsOfHeirs are what self(x) runs of a model whose class leaves forward to its heirs.
func (e *Eval) forwardsOfHeirs(s *Site) (list []*Function) {
	if !IsSelf(s.Node.Func) {
		return nil
	}
	c := e.expr(s.Node.Func, s.scope()).Class
	if c == nil || c.Method("forward") != nil || !c.Derives("torch.nn.Module") {
		return nil
	}
	for _, heir := range c.Heirs() {
		if f := heir.Methods["forward"]; f != nil {
			list = append(list, f)
		}
	}
	return list
}

// passes is what a call passes for a parameter of a function that it runs, or nil. A library that runs a method passes by name:
// propagate(edges, x=x) gives x_i and x_j of message the rows of x at both ends of each edge.
func (s *Site) passes(fn *Function, name string, position int) pysrc.Expr {
	if s.passesEdges(fn) {
		name, position = strings.TrimSuffix(strings.TrimSuffix(name, "_i"), "_j"), -1
		if name == "edge_index" {
			position = 0
		}
	}
	return s.ArgumentNode(name, position)
}

// passesEdges reports a call of propagate that runs a method of the same graph layer.
func (s *Site) passesEdges(fn *Function) bool {
	return s.Method() == "propagate" && slices.Contains(heirMethods["torch_geometric.nn.MessagePassing"]["propagate"], fn.BaseName())
}
