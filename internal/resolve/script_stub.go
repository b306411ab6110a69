package resolve

type tsType interface{}

func bindScript(u *unit)                        { u.top = u.open(moduleScope, 0, nil) }
func (r *Resolver) tsMeaning(s spot) meaning    { return meaning{} }
func (r *Resolver) tsRoots(s *symbol) []*symbol { return []*symbol{s} }
