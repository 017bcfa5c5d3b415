package rule

import (
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// lengthMultiple is to what labels are padded for CUDA graphs: each length is recorded once, so there
// should be few. What is padded with -100 is left out of the loss.
const lengthMultiple = "32"

// padToMultiple gives the edits that pad labels further, where each batch is padded to its longest.
func (p *SourcePass) padToMultiple() []patch.Edit {
	var edits []patch.Edit
	for _, m := range p.Near() {
		if m.Notebook || m.Encoded {
			continue
		}
		for _, s := range m.Sites {
			assign, ok := m.StatementAt(s.Node.Start).(*pysrc.Assign)
			if !ok || len(assign.Targets) != 1 || assign.Value != pysrc.Expr(s.Node) || pysrc.DottedName(assign.Targets[0]) == "" {
				continue
			}
			call, name := Call{Site: s, pass: p}, pysrc.DottedName(assign.Targets[0])
			switch {
			case s.Name() == "torch.nn.utils.rnn.pad_sequence":
				edits = append(edits, padSequenceFurther(m, call, name)...)
			case s.Method() == "pad" && p.leavesOutPadding(m, s, name):
				edits = append(edits, padTokensFurther(call)...)
			}
		}
	}
	return edits
}

// padSequenceFurther pads a tensor of labels behind pad_sequence.
func padSequenceFurther(m *project.Module, call Call, name string) []patch.Edit {
	if !call.Arg("batch_first").IsTrue() || !call.Arg("padding_value").Equals(-100) {
		return nil
	}
	pad, imports := m.ImportOf("torch.nn.functional.pad")
	line := m.LineAfter(call.Node, name+" = "+pad+"("+name+", (0, -"+name+".shape[1] % "+lengthMultiple+"), value=-100)")
	if line.Text == "" {
		return nil
	}
	return append(imports, line)
}

// padTokensFurther lets a tokenizer pad labels to the next multiple.
func padTokensFurther(call Call) []patch.Edit {
	if len(call.Node.Keywords) == 0 || call.Node.Keyword("return_tensors") == nil || call.Node.Keyword("pad_to_multiple_of") != nil ||
		call.Node.Keyword("max_length") != nil {
		return nil
	}
	last := call.Node.Keywords[len(call.Node.Keywords)-1]
	return []patch.Edit{call.pass.In(call.Module()).InsertAfter(last, ", pad_to_multiple_of="+lengthMultiple)}
}

// leavesOutPadding reports tokens of which the padding becomes -100 in the same function:
// tokens["input_ids"].masked_fill(tokens["attention_mask"] != 1, -100).
func (p *SourcePass) leavesOutPadding(m *project.Module, padded *project.Site, name string) bool {
	for _, s := range m.Sites {
		if s.Func != padded.Func || s.Method() != "masked_fill" || len(s.Node.Args) != 2 || s.Node.Start < padded.Node.End {
			continue
		}
		filled := s.Node.Func.(*pysrc.Attribute).Value
		if rootName(filled) == name && pysrc.DottedName(filled) != name && p.In(m).Eval(s.Node.Args[1]).Equals(-100) {
			return true
		}
	}
	return false
}
