package counterexample

import (
	"encoding/json"
	"errors"
	"os"
)

// File is the JSON form of a trace file: every refutation of one run.
type File struct {
	Schema string   `json:"schema"`
	Traces []*Trace `json:"traces"`
}

// Save writes traces to a file. An error means that the file is not to be trusted; it may be
// incomplete.
func Save(path string, traces []*Trace) (err error) {
	if traces == nil {
		traces = []*Trace{}
	}
	data, err := json.MarshalIndent(File{Schema, traces}, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err = f.Write(append(data, '\n')); err != nil {
		return err
	}
	if err = f.Sync(); errors.Is(err, errors.ErrUnsupported) || isNotSyncable(err) {
		err = nil
	}
	return err
}
