package markdown

import "slices"

// packer collects blocks in the current passage, the lines [start, end), and begins the next passage when a block does
// not fit. The lines [tail, end) are headings without text below them. The lines [intro, end) are headings and
// paragraphs such as "Recommended:", which introduce the next block and should stay with it.
type packer struct {
	outline  *outline
	passages []Passage

	current     section
	budget      int // estimated tokens of a passage's text
	start, end  int
	tail, intro int
	// lead is the first line of the next passage, if the text of the passage leaves out its first headings, and else -1.
	lead int
	// header is the first line of the last table that was split. The rows of this table are the lines [rows, endOfRows).
	header          int
	rows, endOfRows int
}

// section cuts a section into passages of at most budget tokens of text.
func (p *packer) section(s section, budget int) {
	p.current, p.budget = s, budget
	p.begin(s.start)
	p.end, p.lead = s.start, -1
	p.parts(s.start, s.end, 0)
	p.emit(p.end)
}

// add adds the lines [start, end), which follow the current passage. Lines that do not fit begin a new passage. Lines
// that do not fit into a whole passage are split.
func (p *packer) add(start, end int) {
	if p.fits(p.start, end) {
		p.extend(start, end)
		return
	}
	if p.outline.tokens(start, end) <= p.budget {
		if p.intro > p.start && p.fits(p.intro, end) {
			p.emit(p.intro)
		} else {
			p.emit(p.tail)
		}
		if !p.fits(p.start, end) {
			p.emitHeadings()
		}
		p.extend(start, end)
		return
	}
	if end-start > 1 {
		depth := slices.Min(p.outline.depth[start+1 : end]) // least nesting depth of the blocks that begin after the first line
		if depth == insideBlock {
			if header := HeaderRow(p.outline.lines[start:end]); header >= 0 {
				p.header, p.rows, p.endOfRows = start+header, start+header+2, end
			}
		}
		p.parts(start, end, int(depth))
		return
	}
	p.emit(p.tail)
	p.emitHeadings()
	p.splitLine(start)
}

// fits reports whether the lines [start, end) fit into one passage.
func (p *packer) fits(start, end int) bool {
	return p.outline.tokens(start, end)+p.headerTokens(start) <= p.budget
}

// headerTokens estimates the tokens of the table header that a passage repeats if the passage begins at the line. It is
// 0 if the line is not a row of the split table, or if the header has more than a quarter of the budget: then it is not
// repeated.
func (p *packer) headerTokens(line int) int {
	if line < p.rows || line >= p.endOfRows {
		return 0
	}
	tokens := p.outline.tokens(p.header, p.rows)
	if tokens > p.budget/4 {
		return 0
	}
	return tokens
}

func (p *packer) extend(start, end int) {
	p.end = end
	if p.outline.depth[start] == 0 && p.outline.isHeading(start) {
		return
	}
	p.tail = end
	if !p.outline.introduces(start, end) {
		p.intro = end
	}
}

// parts adds the lines [start, end) part by part. Each block whose nesting depth is at most depth begins a part.
func (p *packer) parts(start, end, depth int) {
	for start < end {
		next := start + 1
		for next < end && int(p.outline.depth[next]) > depth {
			next++
		}
		p.add(start, next)
		start = next
	}
}

// emit ends the current passage. The next passage begins at the line with index end.
func (p *packer) emit(end int) {
	start, stop := p.outline.trim(p.start, end)
	p.begin(end)
	if start == stop {
		return
	}
	p.append(start, stop-1, p.outline.text(start, stop))
}

// emitHeadings is called when the current passage has only headings, and the next lines do not fit beside them. If the
// header path repeats all the headings, the headings become lines of the next passage but no part of its text.
// Otherwise the headings become a passage.
func (p *packer) emitHeadings() {
	start, end := p.outline.trim(p.start, p.end)
	for line := start; line < end; line++ {
		if p.outline.depth[line] == 0 && !slices.Contains(p.current.carried, line) {
			p.emit(p.end)
			return
		}
	}
	if start < end && p.lead < 0 {
		p.lead = start
	}
	p.begin(p.end)
}

func (p *packer) begin(start int) {
	p.start, p.tail, p.intro = start, max(p.tail, start), max(p.intro, start)
}

// splitLine splits a line that is too long for one passage into several passages.
func (p *packer) splitLine(line int) {
	for _, text := range Cut(p.outline.lines[line], p.budget) {
		p.append(line, line, text)
	}
	p.begin(line + 1)
	p.end = line + 1
}

func (p *packer) append(first, last int, text string) {
	if header := p.headerTokens(first); header > 0 && EstimateTokens(text)+header <= p.budget {
		text = p.outline.text(p.header, p.rows) + "\n" + text
	}
	if p.lead >= 0 {
		first, p.lead = p.lead, -1
	}
	p.passages = append(p.passages, Passage{
		HeaderPath: p.current.path, StartLine: first + 1, EndLine: last + 1, Text: text,
	})
}
