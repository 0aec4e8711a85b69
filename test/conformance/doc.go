// Package conformance tries the server with programs that others have written:
// the protocol's official conformance suite, the official Inspector and the
// official TypeScript clients. It knows the tool contract only as far as a valid
// call of every tool needs it.
//
// "make conformance" installs them and runs its tests, which are skipped
// elsewhere. docs/conformance.md says what of the suite applies.
package conformance
