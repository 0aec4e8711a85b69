// Package workbound bounds what code may cost, as a multiple of the size of its input.
// Fuzz targets call it, so that an input which is small and expensive is found as a
// failure.
package workbound

import (
	"runtime"
	"testing"
	"time"
)

// The bounds of every piece of work, however small its input is. Machines that run tests are busy,
// so the time is far above the need of any input.
const (
	freeBytes   = 2 << 20
	freeTime    = 5 * time.Second
	timePerByte = 50 * time.Microsecond
)

// Check fails the test if work allocates more than perByte bytes for each byte of an
// input of the given size, beside two megabytes, or takes more than 50 µs for each, beside
// five seconds. It counts what the whole process allocates, so nothing else may run.
func Check(t testing.TB, size, perByte int, work func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	work()
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if got, most := float64(after.TotalAlloc-before.TotalAlloc), freeBytes+float64(size)*float64(perByte); got > most {
		t.Errorf("%d bytes of input take %.0f bytes of memory, want at most %.0f", size, got, most)
	}
	if most := freeTime + time.Duration(size)*timePerByte; took > most {
		t.Errorf("%d bytes of input take %s, want at most %s", size, took, most)
	}
}
