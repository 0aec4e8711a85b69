package main

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The first command is there from the first moment, and what follows is not. The picture in docs shows a
// result within four seconds.
func TestSVG_BeginsWithSomethingToSee(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../../docs/recording.svg")
	if err != nil {
		t.Fatal(err)
	}
	made := (&terminal{lines: []line{{2 * time.Second, "compound-docs init", true}, {3 * time.Second, "done", false}}}).svg()
	for name, text := range map[string]string{"made now": string(made), "in docs": string(file)} {
		durations := regexp.MustCompile(`<text [^>]*animation-duration:([0-9.]+)s`).FindAllStringSubmatch(text, -1)
		if len(durations) < 2 || durations[0][1] != "0.00" || durations[1][1] == "0.00" || !strings.Contains(text, "$ compound-docs ") {
			t.Errorf("the picture %s appears at %v", name, durations)
		}
		if seconds, err := strconv.ParseFloat(durations[1][1], 64); err != nil || seconds > 4 {
			t.Errorf("the picture %s shows a result after %s seconds, want at most 4", name, durations[1][1])
		}
	}
}
