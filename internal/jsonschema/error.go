package jsonschema

import "fmt"

// Error is a mistake in a schema. Its texts are for the person who wrote the schema.
type Error struct {
	// Key is the place in the schema, such as properties.a.type; "" for the schema as a whole.
	Key string
	// Problem continues a sentence that begins with Key or the schema's name, as in "is not a list".
	Problem string
	// Hint is one or more sentences on what to do, with a correct example.
	Hint string
}

func (e *Error) Error() string {
	place := "the schema"
	if e.Key != "" {
		place = e.Key
	}
	return place + " " + e.Problem + ". " + e.Hint
}

const compareHint = `Compare it with {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}.`

func tooComplex() *Error {
	return &Error{Problem: "is too complex", Hint: fmt.Sprintf(
		"Keep it under %d values, %d levels and, with every $ref written out, %d patterns, %d sub-schemas and %d bytes.",
		maxValues, MaxDepth, maxPatterns, maxSteps, maxTexts)}
}
