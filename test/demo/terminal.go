package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/creack/pty"
)

const (
	columns = 110
	prompt  = "~/shop$ "
	keyTime = 20 * time.Millisecond // to type a letter
	pause   = 500 * time.Millisecond
)

// terminal records what a terminal shows, line by line.
type terminal struct {
	*demo

	dir    string
	hidden *strings.Replacer

	now   time.Duration
	lines []line
}

// line is a line and the time, since the start, at which it was complete.
type line struct {
	at    time.Duration
	text  string
	typed bool
}

// run types a command and runs it in a shell.
func (t *terminal) run(ctx context.Context, typed string) error {
	t.now += pause + time.Duration(len(typed))*keyTime
	t.lines = append(t.lines, line{t.now, typed, true})
	command := t.command(ctx, t.dir, "sh", "-c", typed)
	start := time.Now()
	file, err := pty.StartWithSize(command, &pty.Winsize{Rows: 40, Cols: columns})
	if err != nil {
		return err
	}
	begin := t.now
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		t.now = begin + time.Since(start)
		for _, text := range wrap(t.plain(scanner.Text())) {
			t.lines = append(t.lines, line{at: t.now, text: text})
		}
	}
	// Linux ends a terminal that nobody writes to any more with an error.
	if _, ended := errors.AsType[*fs.PathError](scanner.Err()); scanner.Err() != nil && !ended {
		return scanner.Err()
	}
	return errors.Join(command.Wait(), file.Close())
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[a-zA-Z]`)

// plain returns a line as it stands when it is complete: without colours, and without
// what a progress bar has written over.
func (t *terminal) plain(text string) string {
	text = strings.TrimRight(escapes.ReplaceAllString(text, ""), "\r ")
	return t.hidden.Replace(text[strings.LastIndex(text, "\r")+1:])
}

// wrap cuts a line as a terminal does.
func wrap(text string) []string {
	rows, letters := []string{}, []rune(text)
	for len(letters) > columns {
		rows, letters = append(rows, string(letters[:columns])), letters[columns:]
	}
	return append(rows, string(letters))
}

// svgHead is for width, height and size of the letters.
const svgHead = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d"
  xml:space="preserve" font-family="monospace" font-size="%d">
<title>A session in a terminal</title>
<style>
text{white-space:pre;fill:#d6deeb;animation-name:a}
.c{fill:#addb67}
@keyframes a{from,to{opacity:0}}
</style>
<rect width="100%%" height="100%%" rx="8" fill="#0b1021"/>
`

// svg returns the recording as a picture in which line after line appears, and that begins
// with the first command. Where nothing moves, all of it is there.
func (t *terminal) svg() []byte {
	const width, height, size, margin = 8.4, 19, 14, 16
	var out bytes.Buffer
	fmt.Fprintf(&out, svgHead, columns*width+2*margin, (len(t.lines)+1)*height+margin, size)
	for i, l := range t.lines {
		text, class := l.text, ""
		if l.typed {
			text, class = prompt+l.text, ` class="c"`
		}
		fmt.Fprintf(&out, "<text x=\"%d\" y=\"%d\"%s style=\"animation-duration:%.2fs\">%s</text>\n",
			margin, (i+1)*height+margin/2, class, (l.at - t.lines[0].at).Seconds(), html.EscapeString(text))
	}
	out.WriteString("</svg>\n")
	return out.Bytes()
}
