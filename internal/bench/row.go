package main

import (
	"fmt"
	"strconv"
)

// Row is one measured figure.
type Row struct {
	// Name is the row's for good: scripts and documents refer to it.
	Name   string
	Value  float64
	Unit   string
	Target Target
	// Note says how large the run was, and what else it showed.
	Note string
	// Reason says why the target is missed, and what was tried. It is told only of
	// a row that is short.
	Reason string
}

// Target is what a figure must reach. The zero value is none: the row informs.
type Target struct {
	bound   float64
	compare comparison
}

type comparison int

const (
	free comparison = iota
	above
	below
)

func atLeast(bound float64) Target { return Target{bound: bound, compare: above} }

func atMost(bound float64) Target { return Target{bound: bound, compare: below} }

func (t Target) String() string {
	switch t.compare {
	case above:
		return "≥ " + number(t.bound)
	case below:
		return "≤ " + number(t.bound)
	default:
		return "-"
	}
}

// Short reports that the figure misses its target.
func (r Row) Short() bool {
	switch r.Target.compare {
	case above:
		return r.Value < r.Target.bound
	case below:
		return r.Value > r.Target.bound
	default:
		return false
	}
}

// Verdict is what the last column says.
func (r Row) Verdict() string {
	if r.Short() {
		return "short"
	}
	return "ok"
}

// String aligns the columns of all rows.
func (r Row) String() string {
	return fmt.Sprintf("%-26s %10s %-6s %8s  %s", r.Name, number(r.Value), r.Unit, r.Target, r.Verdict())
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
