package markdown

import "slices"

// packer fills passages with the blocks of one section after the other. The
// present passage holds the lines [start, end). Those from tail on are headings
// that no text follows yet; those from intro on are headings, and paragraphs such
// as "Recommended:", that introduce what follows.
type packer struct {
	outline  *outline
	maxLines int
	passages []Passage

	current     section
	budget      int // tokens
	start, end  int
	tail, intro int
	// lead is the line at which the next passage's lines begin when they are
	// more than its text, else -1.
	lead int
}

// section cuts a section into passages of at most budget tokens of text.
func (p *packer) section(s section, budget int) {
	p.current, p.budget = s, budget
	p.begin(s.start)
	p.end, p.lead = s.start, -1
	p.parts(s.start, s.end, 0)
	p.emit(p.end)
}

// add takes a unit of text, the lines [start, end) that follow the present
// passage: into it if there is room, else into the next, else in parts.
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
		p.parts(start, end, p.shallowest(start+1, end))
		return
	}
	p.emit(p.tail)
	p.emitHeadings()
	p.line(start)
}

// fits reports that the present passage may be the lines [start, end).
func (p *packer) fits(start, end int) bool {
	return end-start <= p.maxLines && p.outline.tokens(start, end) <= p.budget
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

// parts adds the lines [start, end), cut before every block that begins at depth
// or less.
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

// shallowest returns the least depth at which a block begins in [start, end).
func (p *packer) shallowest(start, end int) int { return int(slices.Min(p.outline.depth[start:end])) }

// emit ends the present passage before the line end. The lines from there on
// begin the next one.
func (p *packer) emit(end int) {
	start, stop := p.outline.trim(p.start, end)
	p.begin(end)
	if start == stop {
		return
	}
	p.append(start, stop-1, p.outline.text(start, stop))
}

// emitHeadings deals with headings that have no room beside what follows: they
// belong to the next passage's lines if its header path has their text, and
// else are a passage.
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

// begin lets the next passage begin at the line start.
func (p *packer) begin(start int) {
	p.start, p.tail, p.intro = start, max(p.tail, start), max(p.intro, start)
}

// line cuts one over-long line.
func (p *packer) line(line int) {
	for _, text := range cutLine(p.outline.lines[line], p.budget) {
		p.append(line, line, text)
	}
	p.begin(line + 1)
	p.end = line + 1
}

func (p *packer) append(first, last int, text string) {
	if p.lead >= 0 {
		first, p.lead = p.lead, -1
	}
	p.passages = append(p.passages, Passage{
		HeaderPath: p.current.path, StartLine: first + 1, EndLine: last + 1, Text: text,
	})
}
