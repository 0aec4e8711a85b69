package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// The count falls if the model is replaced during the work. The rate counts from then on.
func TestShowProgress_NoNegativeRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		show := showProgress(&out, "passages")
		for _, done := range []int{900, 910, 40, 60, 1000} {
			show(done, 1000)
			time.Sleep(2 * time.Second)
		}
		want := "passages: 900 of 1000\npassages: 910 of 1000, 5.0/s\npassages: 40 of 1000\n" +
			"passages: 60 of 1000, 10.0/s\npassages: 1000 of 1000, 240.0/s\n"
		if out.String() != want {
			t.Errorf("it says\n%s\nwant\n%s", &out, want)
		}
	})
}
