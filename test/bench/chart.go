package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// curve is a line of the picture: what a search costs at which size.
type curve struct {
	Name string `json:"name"`
	// Passages and milliseconds of each point.
	Passages []float64 `json:"passages"`
	MS       []float64 `json:"ms"`
}

func (c *curve) add(passages int, milliseconds float64) {
	c.Passages, c.MS = append(c.Passages, float64(passages)), append(c.MS, milliseconds)
}

// palette can be told apart by those who do not see all colours (Okabe, Ito 2008).
var palette = []color.RGBA{
	{R: 0x00, G: 0x72, B: 0xb2, A: 0xff},
	{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff},
	{R: 0x00, G: 0x9e, B: 0x73, A: 0xff},
	{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
}

// draw writes the picture as an SVG file. Both axes are logarithmic: a straight
// line that rises by one is a cost in proportion to the size.
func draw(curves []curve, file string) error {
	p := plot.New()
	p.Title.Text = "What a search costs, by the size of the tenant"
	setFont(&p.Title.TextStyle.Font, 16)
	p.X.Label.Text, p.Y.Label.Text = "passages", "milliseconds"
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		axis.Padding = vg.Points(8)
		setFont(&axis.Label.TextStyle.Font, 13)
		setFont(&axis.Tick.Label.Font, 12)
	}
	// Above what large tenants cost there is room.
	p.Legend.Top, p.Legend.Padding = true, vg.Points(3)
	setFont(&p.Legend.TextStyle.Font, 12)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{Y: 0xdd}, color.Gray{Y: 0xdd}
	p.Add(grid)
	for i, c := range curves {
		points := make(plotter.XYs, len(c.Passages))
		for j := range points {
			points[j].X, points[j].Y = c.Passages[j], c.MS[j]
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return fmt.Errorf("draw %s: %w", c.Name, err)
		}
		line.Color, line.Width = palette[i%len(palette)], vg.Points(2)
		marks.Color, marks.Radius = line.Color, vg.Points(3.5)
		p.Add(line, marks)
		p.Legend.Add(c.Name, line, marks)
	}
	return p.Save(18*vg.Centimeter, 12*vg.Centimeter, file)
}

func setFont(f *font.Font, points float64) {
	f.Variant, f.Size = "Sans", vg.Points(points)
}
