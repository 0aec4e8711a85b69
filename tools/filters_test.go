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

// Each parameter has a row that declares it, and that takes the values of a flag. Commands have no flag for paths.
func TestFilters_EachParameterHasARow(t *testing.T) {
	t.Parallel()
	declared := declareFilters(map[string][]property{})
	parameters := reflect.TypeFor[SearchFilters]()
	if len(declared) != parameters.NumField() || len(Filters()) != parameters.NumField() {
		t.Errorf("%d rows declare %d of %d parameters", len(Filters()), len(declared), parameters.NumField())
	}
	var taken SearchFilters
	for _, f := range Filters() {
		f.Take(&taken, []string{"x"})
		if (f.Flag == "" || f.Usage == "") && f.declare["paths"] == nil {
			t.Errorf("the row of %v has no flag or no help", f.declare)
		}
	}
	for i := range parameters.NumField() {
		if reflect.ValueOf(taken).Field(i).IsZero() {
			t.Errorf("no row takes %s", parameters.Field(i).Name)
		}
	}
}
