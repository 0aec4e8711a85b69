//go:build !linux && !darwin

package process

func machine() string { return unknown }

func startOf(int) (started string, known bool) { return unknown, false }

func exists(int) bool { return true }
