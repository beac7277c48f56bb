package main

import (
	"fmt"
	"io/fs"

	"ptxmc/model/launch"
)

type printCmd struct {
	Path    string `arg:"" help:"A spec file."`
	Variant string `help:"Print the PTX of this variant." placeholder:"NAME"`
}

// Run prints the PTX of a spec with the edits of a variant: what the checker reads, and an assembler too.
func (c *printCmd) Run(env *environment) error {
	files, err := specFiles(c.Path)
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("%s holds %d specs; expected one file", c.Path, len(files))
	}
	if err != nil {
		return err
	}
	text, err := fs.ReadFile(files[0].fsys, files[0].path)
	if err != nil {
		return err
	}
	spec, err := launch.Load(files[0].name, string(text))
	if err != nil {
		return err
	}
	variant := c.Variant
	if variant == "base" {
		variant = ""
	}
	cs, err := spec.Case(variant, nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(env.out, cs.PTX())
	return err
}
