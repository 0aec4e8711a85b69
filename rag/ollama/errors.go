package ollama

import "strings"

// maxMessage is the largest number of characters kept of a server's message.
const maxMessage = 300

// shorten returns a server's message as one line of at most maxMessage characters.
func shorten(message string) string {
	const bytesPerCharacter = 16 // enough for a character and the space before it
	if len(message) > bytesPerCharacter*maxMessage {
		message = message[:bytesPerCharacter*maxMessage]
	}
	line := []rune(strings.ToValidUTF8(strings.Join(strings.Fields(message), " "), ""))
	if len(line) > maxMessage {
		line = append(line[:maxMessage-1], '…')
	}
	return string(line)
}
