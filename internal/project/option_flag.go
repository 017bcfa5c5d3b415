package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// declaredFlag is the option that a call of absl declares: flags.DEFINE_integer("workers", 4, "…").
func declaredFlag(s *Site) (name string, o option, ok bool) {
	given, value := s.Node.KeywordValue("name"), s.Node.KeywordValue("default")
	if len(s.Node.Args) > 0 {
		given = s.Node.Args[0]
	}
	if len(s.Node.Args) > 1 {
		value = s.Node.Args[1]
	}
	if k := s.Node.KeywordValue("config"); k != nil { // of DEFINE_config_dict
		value = k
	}
	name, ok = pysrc.StringValue(given)
	return name, option{site: s, value: value}, ok && value != nil
}

// heldFlag is what the object holds that absl gives for an option: LR = flags.DEFINE_float("lr", 0.1, "…"); LR.value.
func (e *Eval) heldFlag(v Value, name string) (Value, bool) {
	if name != "value" && name != "default" || v.Made == nil || !strings.HasPrefix(lastName(v.Made.Node.Func), "DEFINE_") {
		return Value{}, false
	}
	if library, _, _ := strings.Cut(v.Name, "."); library != "absl" && library != "ml_collections" {
		return Value{}, false
	}
	_, o, ok := declaredFlag(v.Made)
	if !ok {
		return Value{}, false
	}
	return e.optionDefault(o).lessSure(Likely), true
}
