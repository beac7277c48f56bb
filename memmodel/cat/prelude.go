package cat

// preludeText defines what models take for granted (herd's stdlib.cat). A name that the
// environment provides, or that the model itself defines, goes before the definition here.
// The second part of fr is for reads of an initial value in executions without initial writes.
const preludeText = `
let M = R | W
let fr = rf^-1; co | ([R] \ [range(rf)]); loc; [W]
let po-loc = po & loc
let rfe = rf & ext
let rfi = rf & int
let coe = co & ext
let coi = co & int
let fre = fr & ext
let fri = fr & int
let ext = ~int
let int = po | po^-1 | id
let fencerel(S) = po; [S]; po
`

// prelude returns the derived names and the functions of preludeText.
func prelude() (derived map[string]*expr, library *scope) {
	p, err := parseFile("prelude", preludeText, nil, 0)
	if err != nil {
		panic(err) // a constant text, parsed by every test
	}
	derived = map[string]*expr{}
	for _, st := range p.stmts {
		for _, b := range st.let.bindings {
			if b.fun {
				library = &scope{parent: library, name: b.name, fun: &function{b, nil}}
			} else {
				derived[b.name] = b.body
			}
		}
	}
	return derived, library
}
