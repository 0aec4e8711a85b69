package tools

import (
	"reflect"
	"testing"

	"github.com/compound-docs/compound-docs/rag"
)

// Each field of rag.Filter narrows a search, or an answer would say that nothing was found at all.
func TestFilters_EachNarrowsASearch(t *testing.T) {
	t.Parallel()
	if (rag.Filter{}).Narrows() {
		t.Error("no filter narrows a search")
	}
	for i := range reflect.TypeFor[rag.Filter]().NumField() {
		var query rag.Filter
		field := reflect.ValueOf(&query).Elem().Field(i)
		switch field.Kind() {
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
		case reflect.String:
			field.SetString("x")
		case reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
		default:
			t.Fatalf("this test has no value of the type %s; add one", field.Type())
		}
		if name := reflect.TypeFor[rag.Filter]().Field(i).Name; !query.Narrows() {
			t.Errorf("%s does not narrow a search", name)
		}
	}
}
