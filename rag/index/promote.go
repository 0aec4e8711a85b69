package index

import (
	"fmt"

	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/rag/markdown"
)

// WithLevel returns the file's bytes with the promotion line changed, or added,
// and nothing else, and the document's level before. The error says why the file is not
// a document, or would not be one with the new level.
func (x *Indexer) WithLevel(file document.File, level catalog.Level) (content []byte, previous catalog.Level, err error) {
	before, err := prepare(file, x.collection, x.schema)
	if err != nil {
		return nil, "", err
	}
	if content, err = markdown.SetPromotionLevel(file.Content, string(level)); err != nil {
		return nil, "", &apierror.Error{Code: apierror.SchemaValidationFailed, Err: err}
	}
	file.Content = content
	after, err := prepare(file, x.collection, x.schema)
	if err != nil {
		refused := apierror.AsError(err)
		return nil, "", &apierror.Error{
			Code: refused.Code, Op: fmt.Sprintf("with the level %s", level), Err: refused.Err, Details: refused.Details,
		}
	}
	if after.level != level {
		return nil, "", apierror.Errorf(apierror.SchemaValidationFailed, "the front matter cannot take the level %s", level)
	}
	return content, before.level, nil
}
