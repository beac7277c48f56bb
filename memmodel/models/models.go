// Package models holds the built-in memory models as cat files, and what two of them share as .inc files. The header
// comments of ptx-7.5.cat and ptxmc.cat say which sets and relations the environment of an execution must provide.
package models

import (
	"embed"
	"fmt"
	"sort"
	"strings"

	"ptxmc/memmodel/cat"
)

//go:embed *.cat *.inc
var files embed.FS

// Text returns the text of a file of this package, such as "ptx-7.5.cat". It serves as the
// include function of cat.Parse.
func Text(file string) (string, error) {
	text, err := files.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("no built-in file %q", file)
	}
	return string(text), nil
}

// Names returns the names of the built-in models, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the embedded folder is always there
	}
	var names []string
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), ".cat"); ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// Load parses the built-in model of that name, such as "ptx-7.5".
func Load(name string) (*cat.Model, error) {
	text, err := Text(name + ".cat")
	if err != nil {
		return nil, fmt.Errorf("no built-in model %q; the built-in models are %s",
			name, strings.Join(Names(), ", "))
	}
	return cat.Parse(name+".cat", text, Text)
}
