package project

import "saturate/internal/pysrc"

// AssignmentsTo returns the assignments of the project to an attribute of that name, of whatever object.
func (p *Project) AssignmentsTo(attribute string) []*Assignment {
	p.attributesOnce.Do(func() {
		p.attributes = map[string][]*Assignment{}
		for _, m := range p.Modules {
			for _, a := range m.Assignments {
				if t, ok := a.Target.(*pysrc.Attribute); ok {
					p.attributes[t.Attr] = append(p.attributes[t.Attr], a)
				}
			}
		}
	})
	return p.attributes[attribute]
}
