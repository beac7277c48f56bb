package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ptxmc/internal/spell"
	"ptxmc/machine"
	"ptxmc/model/launch"
)

// load reads all specs and prepares all cases before anything runs: bad input explores nothing.
func (c *verifyCmd) load() ([]*job, error) {
	if err := c.checkNames(); err != nil {
		return nil, err
	}
	var files []string
	for _, p := range c.Paths {
		list, err := specFiles(p)
		if err != nil {
			return nil, err
		}
		files = append(files, list...)
	}
	var jobs []*job
	var errs []error
	found := false
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		spec, err := launch.Load(f, string(text))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		variants := append([]string{""}, spec.VariantNames()...)
		if c.Variant != "" {
			name := c.Variant
			if name == "base" {
				name = ""
			}
			if len(files) > 1 && name != "" && !contains(variants, name) {
				continue
			}
			variants = []string{name}
		}
		found = true
		for _, v := range variants {
			j, err := c.prepare(spec, v)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			jobs = append(jobs, j)
		}
	}
	if !found && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("no spec has a variant %q; expected a variant of one of the files, or base", c.Variant))
	}
	return jobs, errors.Join(errs...)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (c *verifyCmd) prepare(spec *launch.Spec, variant string) (*job, error) {
	cs, err := spec.Case(variant, c.Set)
	if err != nil {
		return nil, err
	}
	opts := machine.Options{}
	for _, a := range c.Assume {
		if a == "reads-done-at-issue" {
			opts.ReadsDoneAtIssue = true
		}
	}
	m, err := machine.New(cs, opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec.File, err)
	}
	return &job{spec: spec, machine: m, done: make(chan struct{})}, nil
}

func (c *verifyCmd) checkNames() error {
	if c.Property != "" {
		var names []string
		for _, p := range launch.Properties {
			names = append(names, p.Name)
		}
		if !contains(names, c.Property) {
			return fmt.Errorf("--property %s: no such property%s; expected one of %s", c.Property, spell.DidYouMean(c.Property, names), strings.Join(names, ", "))
		}
	}
	for _, a := range c.Assume {
		if names := []string{"reads-done-at-issue"}; !contains(names, a) {
			return fmt.Errorf("--assume %s: no such policy%s; expected reads-done-at-issue", a, spell.DidYouMean(a, names))
		}
	}
	return nil
}

// specFiles lists the *.ptx files of a path.
func specFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: no such file or folder; expected a spec (*.ptx) or a folder of specs", path)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var out []string
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(p) == ".ptx" {
			out = append(out, p)
		}
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: the folder holds no spec; expected at least one *.ptx file", path)
	}
	return out, err
}
