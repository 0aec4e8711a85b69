package tools

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/compound-docs/compound-docs/internal/plain"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/internal/workspace"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
)

var (
	//go:embed prompts/recall.md
	recallText string
	//go:embed prompts/capture.md
	captureText string

	recallTemplate  = template.Must(template.New("recall").Parse(recallText))
	captureTemplate = template.Must(template.New("capture").Parse(captureText))
)

// recallPrompt declares the prompt that searches the project's memory before work
// begins. It tells the model to search instead of searching itself, because the topic
// may be incomplete: Claude Code passes only the first word of what the user wrote.
func recallPrompt() *mcp.Prompt {
	return &mcp.Prompt{
		Name:        "recall",
		Title:       "Recall",
		Description: "Find out what the project already knows about a topic before working on it.",
		Arguments: []*mcp.PromptArgument{
			{Name: "topic", Title: "Topic", Description: "What to look for. Default: what the conversation is about."},
		},
	}
}

func (h *Handler) answerRecall(ctx context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if ask := h.followRoots(ctx, request.Session, request.ClientCapabilities(), request.Params.InputResponses); ask != nil {
		return &mcp.GetPromptResult{InputRequests: ask}, nil
	}
	data := struct {
		Topic, Unavailable, Project, Branch, Contents string
		Empty                                         bool
	}{Topic: strings.TrimSpace(request.Params.Arguments["topic"])}
	var docTypes []workspace.DocTypeCount
	active, err := h.workspace.Active(ctx)
	if err == nil {
		docTypes, err = active.DocTypes(ctx)
	}
	if err != nil {
		data.Unavailable = apierror.AsError(err).Error()
	} else {
		data.Project, data.Branch, data.Contents = active.Tenant.Key.Project, active.Tenant.Key.Branch, contentsOf(docTypes)
		data.Empty = data.Contents == ""
	}
	return render(recallTemplate, recallPrompt().Description, data)
}

// capturePrompt declares the prompt that writes a document from the conversation. It
// shows the front matter that each doc-type requires; index_document names a field
// only after it is found missing.
func capturePrompt() *mcp.Prompt {
	return &mcp.Prompt{
		Name:        "capture",
		Title:       "Capture",
		Description: "Write what was just found out as a document of the project's memory.",
		Arguments: []*mcp.PromptArgument{
			{Name: "doc_type", Title: "Doc-type", Description: "What kind of document. Default: the one that fits."},
			{Name: "promotion_level", Title: "Promotion level", Description: "How prominent it is. Default: standard."},
		},
	}
}

// docTypeTemplate lists the required and the optional front matter of a doc-type.
type docTypeTemplate struct {
	project.DocType
	Required []project.Field
	Optional string
}

// answerCapture ignores an argument that is not a doc-type or not a level: the client passes
// single words of the user's sentence, and the model sees the whole sentence.
func (h *Handler) answerCapture(ctx context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if ask := h.followRoots(ctx, request.Session, request.ClientCapabilities(), request.Params.InputResponses); ask != nil {
		return &mcp.GetPromptResult{InputRequests: ask}, nil
	}
	now := time.Now()
	data := struct {
		Unavailable, DocsDir, Chosen, Level, Date, Stamp string
		DocTypes                                         []docTypeTemplate
		Omitted                                          int
		Lenient                                          bool
	}{Date: now.Format(time.DateOnly), Stamp: now.Format("20060102")}
	if level := catalog.Level(request.Params.Arguments["promotion_level"]); slices.Contains(catalog.Levels(), level) {
		data.Level = string(level)
	}
	active, err := h.workspace.Active(ctx)
	if err != nil {
		data.Unavailable = apierror.AsError(err).Error()
		return render(captureTemplate, capturePrompt().Description, data)
	}
	data.DocsDir, data.Lenient = active.Definition.DocsDir(), active.Definition.Lenient()
	docTypes := active.Definition.DocTypes()
	if chosen, ok := active.Definition.DocType(request.Params.Arguments["doc_type"]); ok {
		data.Chosen, docTypes = chosen.Name, []project.DocType{chosen}
	}
	templates := make([]docTypeTemplate, len(docTypes))
	for i, docType := range docTypes {
		templates[i] = newDocTypeTemplate(docType)
	}
	data.DocTypes, data.Omitted = fit(templates, maxList)
	return render(captureTemplate, capturePrompt().Description, data)
}

// maxFields is how many fields of a doc-type a prompt shows at most. index_document
// names the others if they are missing.
const maxFields = 50

func newDocTypeTemplate(docType project.DocType) docTypeTemplate {
	s := docTypeTemplate{DocType: docType}
	s.Description = brief(strings.TrimSuffix(s.Description, "."))
	var optional []string
	fields := docType.Fields()
	for _, field := range fields[:min(len(fields), maxFields)] {
		field.Name, field.Expected = brief(field.Name), brief(field.Expected)
		switch {
		case field.Required:
			s.Required = append(s.Required, field)
		case field.Name == "promotion_level": // explained once for all doc-types
		case field.Expected == "":
			optional = append(optional, field.Name)
		default:
			optional = append(optional, field.Name+" ("+field.Expected+")")
		}
	}
	s.Optional = strings.Join(optional, ", ")
	return s
}

// contentsOf returns a text such as "3 documents (2 problem, 1 style)", or "" for none.
func contentsOf(docTypes []workspace.DocTypeCount) string {
	total := 0
	var parts []string
	for _, docType := range docTypes {
		if docType.Documents > 0 {
			total += docType.Documents
			parts = append(parts, fmt.Sprintf("%d %s", docType.Documents, docType.Name))
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%s)", plain.Count(total, "document"), strings.Join(parts, ", "))
}

func render(t *template.Template, description string, data any) (*mcp.GetPromptResult, error) {
	var text strings.Builder
	if err := t.Execute(&text, data); err != nil {
		return nil, fmt.Errorf("write prompt: %w", err)
	}
	return &mcp.GetPromptResult{Description: description, Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: text.String()}},
	}}, nil
}
