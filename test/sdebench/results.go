package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// result is how an agent did in a task.
type result struct {
	Task        string `json:"task"`
	Arm         string `json:"arm"`
	Solved      bool   `json:"solved"`
	Corrections int    `json:"corrections"` // until the fix was right, or until it was given up
	Seconds     int    `json:"seconds"`
}

func (r result) String() string {
	state := "solved"
	if !r.Solved {
		state = "given up"
	}
	return fmt.Sprintf("%-36s %-10s %s, corrections %d, %d s", r.Task, r.Arm, state, r.Corrections, r.Seconds)
}

// append adds the result to a file.
func (r result) append(file string) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode a result: %w", err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// eachResult calls use for every result of a file, which may be missing.
func eachResult(file string, use func(result)) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it is only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		use(r)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}

// readResults returns what is done, as task and arm.
func readResults(file string) (map[string]bool, error) {
	done := map[string]bool{}
	err := eachResult(file, func(r result) { done[r.Task+" "+r.Arm] = true })
	return done, err
}

// summarize prints the figures of each arm.
func summarize(file string, out io.Writer) error {
	type figures struct{ tasks, solved, atOnce, corrections int }
	of := map[string]figures{}
	err := eachResult(file, func(r result) {
		f := of[r.Arm]
		f.tasks++
		f.corrections += r.Corrections
		if r.Solved {
			f.solved++
		}
		if r.Solved && r.Corrections == 0 {
			f.atOnce++
		}
		of[r.Arm] = f
	})
	for _, a := range arms {
		f := of[a.name]
		fmt.Fprintf(out, "%s: %d tasks, %d solved, %d at the first try, %d corrections\n",
			a.name, f.tasks, f.solved, f.atOnce, f.corrections)
	}
	return err
}
