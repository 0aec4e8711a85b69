package rag_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/compound-docs/compound-docs/internal/document"
	"github.com/compound-docs/compound-docs/internal/project"
	"github.com/compound-docs/compound-docs/rag"
	"github.com/compound-docs/compound-docs/rag/apierror"
	"github.com/compound-docs/compound-docs/rag/catalog"
	"github.com/compound-docs/compound-docs/test/ragtest"
)

// foreign are documents in other languages, each with a question that has other forms of its words.
var foreign = map[string][2]string{
	"de": {
		"Der Auftrag hat die Verbindung zur Datenbank nicht geschlossen, weil er mit einem Fehler abbrach.",
		"Welche Aufträge haben Fehlern wegen offene Verbindungen zu Datenbanken hinterlassen?",
	},
	"fr": {
		"La tâche n'a pas fermé la connexion à la base de données, car elle s'est arrêtée sur une erreur.",
		"Pourquoi des connexions ne sont-elles pas fermées par les tâches après des erreurs ?",
	},
	"es": {
		"El trabajo no cerró la conexión a la base de datos, porque terminó con un fallo del servidor.",
		"¿Por qué los trabajos dejan conexiones abiertas con los fallos de los servidores?",
	},
	"ru": {
		"Задача не закрыла соединение с базой данных, потому что она завершилась с ошибкой и не было проверки.",
		"Почему из-за задач с ошибками остаются соединения без проверок?",
	},
	"sv": {
		"Jobbet stängde inte anslutningen till databasen, eftersom det avbröts av ett fel i nätverket.",
		"Varför har jobben lämnat anslutningar till databaser när nätverken är nere?",
	},
}

// A question in the language of a document finds it by words in other forms, among English documents, and
// English ones are found as ever.
func TestSearch_FindsOtherFormsInItsLanguage(t *testing.T) {
	t.Parallel()
	f := setup(t)
	files := crowd()
	for language, texts := range foreign {
		files = append(files, file("docs/"+language+".md", "# "+language, "", texts[0]))
	}
	files = append(files, file("docs/en.md", "# en", "", "The job did not close its connection to the database, because it ended with an error."))
	f.AddText(t, f.Tenant, files...)
	for language, texts := range foreign {
		_, found := f.found(t, rag.Query{Text: texts[1], Mode: rag.Lexical})
		if len(found.Documents) == 0 || found.Documents[0].Path != "docs/"+language+".md" || found.Documents[0].Score < .25 {
			t.Errorf("%q finds %+v", texts[1], found.Documents)
		}
	}
	_, found := f.found(t, rag.Query{Text: "why were the connections of jobs not closed", Mode: rag.Lexical})
	if len(found.Documents) == 0 || found.Documents[0].Path != "docs/en.md" {
		t.Errorf("the English question finds %q", paths(found.Documents))
	}
}

// A query of stop words of a language has no word to search for.
func TestSearch_ForeignStopWordsAlone(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Add(t, f.Tenant, file("docs/de.md", "# de", "", foreign["de"][0]))
	f.mustFind(t, rag.Query{Text: "wie ist das mit der"}, "docs/de.md")
	_, err := f.Searcher.Search(t.Context(), f.Scope(), rag.Query{Text: "wie ist das mit der", Mode: rag.Lexical, Limit: 1})
	if apierror.AsError(err).Code != apierror.InvalidArgument {
		t.Errorf("got %v, want that the query has no word to search for", err)
	}
}

// german takes every document as a German one.
type german struct{ ragtest.AnyDocument }

func (german) Rules(path string) (project.Rules, bool) {
	docType, ok := ragtest.AnyDocument{}.Rules(path)
	docType.Language = "de"
	return docType, ok
}

// A configured language is that of documents which do not show it. The snippet shows the words in their forms.
func TestSearch_ConfiguredLanguage(t *testing.T) {
	t.Parallel()
	f := setup(t)
	text := "# Datenbank\n\n" + strings.Repeat("Text. ", 50) + "Verbindung geschlossen."
	if _, err := f.Index.Indexer(f.Tenant, catalog.Compounding, german{}).Index(t.Context(), []document.File{file("docs/a.md", text)}); err != nil {
		t.Fatal(err)
	}
	hits := f.mustFind(t, rag.Query{Text: "Verbindungen", Mode: rag.Lexical}, "docs/a.md")
	if snippet := hits.Documents[0].Snippet; !strings.Contains(snippet, "Verbindung") {
		t.Errorf("the snippet is %q", snippet)
	}
	if got := fmt.Sprint(f.Rows(t, "SELECT count(*)::text FROM passages")); got != "[1]" {
		t.Errorf("%s passages", got)
	}
}
