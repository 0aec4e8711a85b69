package main

import (
	"fmt"
	"strconv"
)

// Row is one measured figure.
type Row struct {
	// Name is the row's for good: scripts and documents refer to it.
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Target Target  `json:"target"`
	// Note says how large the run was, and what else it showed.
	Note string `json:"note"`
	// Reason says why the target is missed, and what was tried. It is told only of
	// a row that is short.
	Reason string `json:"reason,omitempty"`
	// Commit and Date are when it was measured.
	Commit string `json:"commit"`
	Date   string `json:"date"`
	// Quick is set if it was measured at smaller sizes than those of the target.
	Quick bool `json:"quick,omitempty"`
}

// Target is the value that a figure must reach. A row with the zero value only informs.
type Target struct {
	Relation string  `json:"relation"` // "≤" or ""
	Bound    float64 `json:"bound"`
}

func atMost(bound float64) Target { return Target{Relation: "≤", Bound: bound} }

func (t Target) String() string {
	if t.Relation == "" {
		return "-"
	}
	return t.Relation + " " + number(t.Bound)
}

// Short reports that the figure misses its target.
func (r Row) Short() bool {
	return r.Target.Relation == "≤" && r.Value > r.Target.Bound
}

// String aligns the columns of all rows.
func (r Row) String() string {
	verdict := "ok"
	if r.Short() {
		verdict = "short"
	}
	return fmt.Sprintf("%-26s %10s %-6s %8s  %s", r.Name, number(r.Value), r.Unit, r.Target, verdict)
}

// number writes four digits that count, and no exponent.
func number(x float64) string {
	switch {
	case x >= 1000 || x <= -1000:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x == float64(int64(x)):
		return strconv.FormatInt(int64(x), 10)
	default:
		return strconv.FormatFloat(x, 'f', 3, 64)
	}
}
