package terms

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts are in each language, with a question in other forms of its words.
var texts = []struct {
	language       Language
	text, question string
	common         int // stems that both have
}{
	{
		"de", "Die Verbindungen zur Datenbank wurden nicht geschlossen, weil der Auftrag mit einem Fehler abbrach. Wir schließen sie jetzt immer.",
		"Warum werden Aufträge abgebrochen und Datenbanken nicht mehr verbunden?", 1,
	},
	{
		"fr", "Les connexions à la base de données n'étaient pas fermées quand une tâche échouait. Nous les fermons maintenant dans tous les cas.",
		"Pourquoi une connexion n'est pas fermée par les tâches ?", 3,
	},
	{
		"es", "Las conexiones de la base de datos no se cerraban cuando un trabajo fallaba. Ahora las cerramos siempre en los trabajos.",
		"¿Por qué no se cierra la conexión de un trabajo que falla?", 3,
	},
	{
		"ru", "Соединения с базой данных не закрывались, когда задача завершалась с ошибкой. Теперь мы закрываем их всегда.",
		"Почему соединение базы не закрывается, если задачи с ошибками?", 4,
	},
	{
		"sv", "Anslutningarna till databasen stängdes inte när ett jobb avbröts av ett fel. Nu stänger vi dem alltid.",
		"Varför stängs inte anslutningen till databaser som jobben har?", 3,
	},
	{
		"it", "Le connessioni al database non erano chiuse quando un lavoro falliva. Adesso sono chiuse sempre, anche dopo un errore.",
		"Perché la connessione dei lavori non è chiusa dopo gli errori?", 4,
	},
	{
		"pt", "As conexões com o banco de dados não eram fechadas quando uma tarefa falhava. Agora elas são fechadas sempre.",
		"Por que a conexão de uma tarefa não é fechada?", 2,
	},
	{
		"nl", "De verbindingen met de databank werden niet gesloten als een taak door een fout werd afgebroken. Nu sluiten we ze altijd.",
		"Waarom wordt een verbinding niet gesloten door de taken?", 3,
	},
	{
		"da", "Forbindelserne til databasen blev ikke lukket, når et job fejlede. Nu lukker vi dem altid, også efter en fejl.",
		"Hvorfor bliver en forbindelse til databaser ikke lukket af jobbet?", 3,
	},
	{
		"no", "Forbindelsene til databasen ble ikke lukket når en jobb feilet. Nå lukker vi dem alltid, også etter en feil, som vi har sett.",
		"Hvorfor blir ikke en forbindelse til databaser lukket av jobben?", 3,
	},
	{
		"fi", "Tietokannan yhteyksiä ei suljettu, kun tehtävä keskeytyi virheen takia. Nyt ne suljetaan aina, koska muuten ne olisivat auki.",
		"Miksi yhteyttä ei ole suljettu, kun tehtävät ovat tietokannassa?", 2,
	},
	{
		"hu", "Az adatbázis kapcsolatai nem záródtak le, amikor egy feladat hibával ért véget. Most már mindig lezárjuk azokat, ha hiba van.",
		"Miért nem záródik le a kapcsolat az adatbázisban, ha egy feladatban hiba van?", 3,
	},
	{
		"tr", "Bir görev hata ile bittiğinde veritabanı bağlantıları kapanmadı. Şimdi biz onları her zaman kapatıyoruz, çünkü daha iyi ve çok kolay.",
		"Neden bir görevin bağlantısı veritabanında kapanmıyor ve daha çok hata var?", 3,
	},
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, test := range texts {
		if got := Detect(test.text); got != test.language {
			t.Errorf("%q is %s, want %s", test.text, got, test.language)
		}
	}
	for _, text := range []string{
		"", "Die casting", "The connection pool was exhausted by leaked connections.", "データベース接続",
		"`de`, `en`, `es`, `fr`, `la`: locales of the die, do not use `man -k` for them",
		"const man = den + das; if (con) { la = el; }", "SELECT a, i, o FROM e WHERE y = x", "max_conns pgx.ErrNoRows --no-verify",
	} {
		if got := Detect(text); got != English {
			t.Errorf("%q is %s, want English", text, got)
		}
	}
}

// A question finds a text of its language by other forms of its words, in a project of this language alone
// and among English texts, and so does a snippet.
func TestVocabulary_QuestionsMeetDocuments(t *testing.T) {
	t.Parallel()
	english, _ := Document(1, English, "", "The connections of the jobs were closed by pgx.ErrNoRows, die, comment, todo.")
	for _, test := range texts {
		document, _ := Document(1, test.language, "", test.text)
		for _, others := range [][]int32{nil, english} {
			v := NewVocabulary(1, func(term int32) int {
				return strings.Count(fmt.Sprint(append(slices.Clone(document), others...)), fmt.Sprint(term))
			})
			q := v.Query(test.question)
			var common []string
			for _, term := range q.Terms {
				if slices.Contains(document, term.Hash) {
					common = append(common, term.Name)
				}
			}
			if len(common) < test.common {
				t.Errorf("%s: %q and the text have only %q in common", test.language, test.question, common)
			}
			if window := q.Snippet(strings.Repeat("x ", 200)+test.text, 100); !strings.HasPrefix(window, ellipsis) {
				t.Errorf("%s: the snippet is %q", test.language, window)
			}
			if !slices.Contains(q.TermsOf(test.text), q.Terms[slices.IndexFunc(q.Terms, func(term QueryTerm) bool { return term.Name == common[0] })].Hash) {
				t.Errorf("%s: the text lacks the term %q", test.language, common[0])
			}
		}
	}
}

// Without documents in other languages a query has its English terms, whatever words it has. With some, an
// English one keeps them too.
func TestVocabulary_EnglishStaysAsItIs(t *testing.T) {
	t.Parallel()
	english, _ := Document(1, English, "", "The connections were closed, and die casting is in the comments to do.")
	german, _ := Document(1, "de", "", texts[0].text)
	for _, text := range []string{
		"why do connections of die casting die", "Wie schließt man die Verbindung?", "comment", "what was it", "pgx.ErrNoRows `max conns`",
	} {
		all := NewVocabulary(1, func(term int32) int { return strings.Count(fmt.Sprint(english), fmt.Sprint(term)) })
		if diff := cmp.Diff(names(NewQuery(1, text)), names(all.Query(text))); diff != "" {
			t.Errorf("%q in an English project (-want +got):\n%s", text, diff)
		}
	}
	both := NewVocabulary(1, func(term int32) int {
		return strings.Count(fmt.Sprint(append(slices.Clone(english), german...)), fmt.Sprint(term))
	})
	for _, text := range []string{"why do the connections of die casting close", "closed connections", "pgx.ErrNoRows"} {
		if diff := cmp.Diff(names(NewQuery(1, text)), names(both.Query(text))); diff != "" {
			t.Errorf("%q beside German documents (-want +got):\n%s", text, diff)
		}
	}
	if got := names(both.Query("geschlossene Verbindungen von pgx.ErrNoRows")); !slices.Contains(strings.Fields(fmt.Sprint(got)), "pgx.errnorows") {
		t.Errorf("a German query with a name has the terms %v", got)
	}
}

// Stop words of the language are no terms, nor are English ones that a text quotes.
func TestDocument_InAnotherLanguage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"die Verbindungen für den Auftrag":         "verbind auftrag",
		"Fehler: the connection was not closed":    "fehl connection closed",
		"max_conns und ErrNoRows in pgx.ErrNoRows": "max_conns max conn errnorow err row pgx.errnorows pgx errnorow err row",
		"Größe, groesse":                           "gross groess",
	} {
		var got []string
		analyse("de", text, func(o occurrence) { got = append(got, o.term) })
		if diff := cmp.Diff(strings.Fields(want), got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// A compound word that the project does not have is looked for by its parts, if it has all of them.
func TestVocabulary_CompoundWords(t *testing.T) {
	t.Parallel()
	german, _ := Document(1, "de", "", texts[0].text+" Die Prüfung der Zugänge steht im Protokoll der Anmeldung.")
	v := NewVocabulary(1, func(term int32) int { return strings.Count(fmt.Sprint(german), fmt.Sprint(term)) })
	for query, want := range map[string]string{
		"Datenbankverbindung":                 "datenbank verbind",
		"die Datenbankverbindungen prüfen":    "datenbank verbind prufen",
		"Auftragsfehlerprotokoll":             "auftrag fehl protokoll",
		"Anmeldungsprüfung":                   "anmeld prufung",
		"Zugangsprüfungen":                    "zugang prufung",
		"Datenbankadapter":                    "datenbankadapt",
		"Datenbank":                           "datenbank",
		"Grafikverbindung":                    "grafikverbindung",
		"how is `DatenbankVerbindung` closed": "datenbankverbindung datenbank verbindung close",
	} {
		var got []string
		for _, term := range v.Query(query).Terms {
			got = append(got, term.Name)
		}
		if diff := cmp.Diff(strings.Fields(want), got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
}

// The words that begin a question are no terms in its language, whether the project has it or not.
func TestVocabulary_QuestionWordsAreNoTerms(t *testing.T) {
	t.Parallel()
	german, _ := Document(1, "de", "", texts[0].text)
	for name, documents := range map[string][]int32{"English": nil, "German": german} {
		v := NewVocabulary(1, func(term int32) int { return strings.Count(fmt.Sprint(documents), fmt.Sprint(term)) })
		for question, words := range map[string]string{
			"Warum wird die Verbindung zur Datenbank nicht geschlossen?":      "warum",
			"Wieso und woher kommt der Fehler?":                               "wieso woh woher",
			"Pourquoi et comment la tâche est-elle répétée dans le journal ?": "pourquoi comment",
			"Combien de fois est-ce que le serveur essaie, et où ?":           "combien",
			"¿Cómo se cierra la conexión y cuándo no?":                        "como cuand cuando",
			"¿Dónde está la clave de la base de datos?":                       "dond donde",
			"Quando viene chiusa la connessione e perché non prima?":          "quand quando",
			"Onde fica a chave do banco de dados e quais são as senhas?":      "onde quais qua",
			"Waarom wordt de verbinding niet gesloten?":                       "waarom",
			"Hvordan bliver en forbindelse til databasen lukket, og hvorfor?": "hvordan hvorfor hvorf",
			"Miten yhteys on suljettu, kun se ei ole auki?":                   "mite miten",
			"Mennyi ideig van nyitva a kapcsolat, és hol nem?":                "mennyi hol",
			"Почему соединение не закрывается, и сколько их было?":            "почему сколько почем скольк",
			"Bu bağlantı neden ve hangi hata ile daha çok kapanıyor?":         "hangi hang",
			"Varifrån kommer felet och vems är det?":                          "varifrån varifran vems vem",
		} {
			for _, term := range v.Query(question).Terms {
				if slices.Contains(strings.Fields(words), term.Name) {
					t.Errorf("%s documents: %q asks for %q", name, question, term.Name)
				}
			}
		}
	}
	for query, word := range map[string]string{"comment": "comment", "how do I comment on the quale kit of the hangi": "kit"} {
		has := func(term QueryTerm) bool { return term.Name == word }
		if terms := NewQuery(1, query).Terms; !slices.ContainsFunc(terms, has) {
			t.Errorf("%q has the terms %v", query, terms)
		}
	}
}
