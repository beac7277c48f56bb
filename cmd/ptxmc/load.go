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
	"ptxmc/specs"
)

// load reads all specs and prepares all cases before anything runs: bad input explores nothing.
func (c *verifyCmd) load() ([]*job, error) {
	if err := c.checkNames(); err != nil {
		return nil, err
	}
	var files []specFile
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
		text, err := fs.ReadFile(f.fsys, f.path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		spec, err := launch.Load(f.name, string(text))
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
		opts.Relax(a) // the names were checked
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
		var names []string
		for _, p := range machine.AllPolicies {
			names = append(names, p.Name)
		}
		if !contains(names, a) {
			return fmt.Errorf("--assume %s: no such policy%s; expected one of %s", a, spell.DidYouMean(a, names), strings.Join(names, ", "))
		}
	}
	return nil
}

// specFile is a file on disk or of the library that is part of the program.
type specFile struct {
	fsys fs.FS
	path string // in fsys
	name string // as the user knows it
}

// specFiles lists the *.ptx files of a path. A path below specs/ that is not on disk is looked up in
// the library.
func specFiles(path string) ([]specFile, error) {
	if _, err := os.Stat(path); err == nil {
		dir, base := filepath.Split(filepath.Clean(path))
		if dir == "" {
			dir = "."
		}
		return walk(os.DirFS(dir), base, func(p string) string { return filepath.Join(dir, p) }, path)
	}
	if p, ok := strings.CutPrefix(filepath.ToSlash(filepath.Clean(path)), "specs/"); ok {
		if _, err := fs.Stat(specs.FS, p); err == nil {
			return walk(specs.FS, p, func(p string) string { return "specs/" + p }, path)
		}
	}
	return nil, fmt.Errorf("%s: no such file or folder; expected a spec (*.ptx) or a folder of specs", path)
}

func walk(fsys fs.FS, root string, name func(string) string, path string) ([]specFile, error) {
	var out []specFile
	err := fs.WalkDir(fsys, root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (p == root || filepath.Ext(p) == ".ptx") {
			out = append(out, specFile{fsys, p, name(p)})
		}
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: the folder holds no spec; expected at least one *.ptx file", path)
	}
	return out, err
}
