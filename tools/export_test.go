package tools

// AsksModel reports whether calls of the tool wait for the language model.
func (t Tool) AsksModel() bool { return t.kind == ofModel }
