package lookup

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/compound-docs/compound-docs/db"
	"github.com/compound-docs/compound-docs/internal/document"
)

// Each column of the query reaches the candidate. A field that no column fills is named here.
func TestCandidateOf_TakesEveryColumn(t *testing.T) {
	t.Parallel()
	var row db.SearchWordsRow
	setEach(t, reflect.ValueOf(&row).Elem())
	filledLater := map[string]bool{
		// The ranking fills these.
		"Hit.Score": true, "Hit.Snippet": true, "Hit.Line": true, "Hit.Standing": true, "Hit.Evidence": true,
		"Hit.LogOdds": true, "Hit.Key": true,
	}
	for _, name := range zeroFields("", reflect.ValueOf(candidateOf(row)), filledLater) {
		t.Errorf("no column fills %s of a candidate", name)
	}
}

// setEach sets each field of a struct to a value other than zero.
func setEach(t *testing.T, row reflect.Value) {
	t.Helper()
	for i := range row.NumField() {
		field := row.Field(i)
		switch {
		case field.Type() == reflect.TypeFor[time.Time]():
			field.Set(reflect.ValueOf(time.Unix(1, 0)))
		case field.CanInt():
			field.SetInt(1)
		case field.CanFloat():
			field.SetFloat(1)
		case field.Kind() == reflect.String:
			field.SetString("text")
		case field.Kind() == reflect.Bool:
			field.SetBool(true)
		case field.Kind() == reflect.Slice: // the hash of a file
			field.SetBytes(bytes.Repeat([]byte{1}, len(document.Hash{})))
		case field.Kind() == reflect.Array: // a UUID
			field.Index(0).SetUint(1)
		default:
			t.Fatalf("a column %s has a type that this test does not know: %s", row.Type().Field(i).Name, field.Type())
		}
	}
}

// zeroFields returns the names of the exported fields that are zero, except some with all that they hold.
func zeroFields(prefix string, value reflect.Value, except map[string]bool) []string {
	var names []string
	for i := range value.NumField() {
		name, field := prefix+value.Type().Field(i).Name, value.Field(i)
		switch {
		case except[name] || !value.Type().Field(i).IsExported():
		case field.Kind() == reflect.Struct && field.Type() != reflect.TypeFor[time.Time]():
			names = append(names, zeroFields(name+".", field, except)...)
		case field.IsZero():
			names = append(names, name)
		}
	}
	return names
}
