// SPDX-License-Identifier: Apache-2.0

// Package record keeps problems that upstream's code has decided, together with the answers of sakkara that were accepted
// beside it. They can be played again without upstream's code, which takes minutes to build.
package record

import (
	"compress/gzip"
	"encoding/json"
	"os"
)

// Case is one run of the program.
type Case struct {
	Arguments []string `json:"arguments"`
	Input     string   `json:"input"`
	Problems  int      `json:"problems"` // that it decides at once
	Answer    any      `json:"answer"`   // the part of its report that is compared; what is empty has to be empty or absent
}

// Record is a file of cases.
type Record struct {
	Sources string   `json:"sources"` // sum of the sources that made it
	Rows    []string `json:"rows"`    // of the table of differences in docs
	Cases   []Case   `json:"cases"`
}

// Write replaces the file at the path. The same record is the same bytes.
func (r *Record) Write(path string) error {
	file, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	packed, err := gzip.NewWriterLevel(file, gzip.BestCompression)
	if err == nil {
		err = json.NewEncoder(packed).Encode(r)
	}
	if err == nil {
		err = packed.Close()
	}
	if err == nil {
		err = file.Close()
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	return err
}

// Read is the record in the file.
func Read(path string) (*Record, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := &Record{}
	packed, err := gzip.NewReader(file)
	if err == nil {
		err = json.NewDecoder(packed).Decode(r)
	}
	return r, err
}
