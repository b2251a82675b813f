// What uPlot does not draw itself: marks, points with their flags, end labels,
// rows of dots. All coordinates in CSS pixels of the whole canvas.
import type uPlot from "uplot";
import type { Figure, Mark, Point } from "./data";
import { quantity } from "./format";
import { FONT, ROW_PX, placeMarks, placeNames, spread } from "./labels";
import { colour } from "./theme";

export interface View {
  figure: Figure;
  /** By series: shown or not. */
  shown: boolean[];
  /** Rows of labels above the plot: those of marks, then names of regions. */
  rows: number;
  names: number;
  /** A panel under a figure: its marks and regions without their labels. */
  bare: boolean;
  /** Whether line ends carry names. */
  named: boolean;
}

export const DOT_GAP_PX = 13;

/** The canvas context scaled to CSS pixels, and the plot's box in them. */
function brush(u: uPlot): { c: CanvasRenderingContext2D; box: Box; done: () => void } {
  const ratio = devicePixelRatio;
  u.ctx.save();
  u.ctx.scale(ratio, ratio);
  u.ctx.font = FONT;
  u.ctx.textBaseline = "middle";
  u.ctx.lineJoin = "round";
  const box = {
    left: u.bbox.left / ratio,
    top: u.bbox.top / ratio,
    right: (u.bbox.left + u.bbox.width) / ratio,
    bottom: (u.bbox.top + u.bbox.height) / ratio,
  };
  return { c: u.ctx, box, done: () => u.ctx.restore() };
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Where a point is drawn, CSS pixels of the canvas. */
export function position(u: uPlot, view: View, series: number, point: Point): [number, number] {
  const at = (value: number, scale: string) => u.valToPos(value, scale, true) / devicePixelRatio;
  const clampY = Math.min(view.figure.y.range[1], Math.max(view.figure.y.range[0], point[1]));
  if (view.figure.x.scale === "words") {
    return [at(clampY, "y"), at(point[0], "x") + rowOffset(view, series)];
  }
  return [at(point[0], "x"), at(clampY, "y")];
}

/** Series that are hidden leave no gap in a row of dots. */
function rowOffset(view: View, series: number): number {
  const shown = view.shown.filter(Boolean).length;
  const rank = view.shown.slice(0, series).filter(Boolean).length;
  return (rank - (shown - 1) / 2) * DOT_GAP_PX;
}

export function marks(u: uPlot, view: View): void {
  if (view.figure.marks.length === 0) return;
  const { c, box, done } = brush(u);
  const px = (x: number) => u.valToPos(x, "x", true) / devicePixelRatio;
  const hold = (x: number) => Math.min(box.right, Math.max(box.left, px(x)));
  const placed = placeMarks(view.figure.marks, px, box.left, box.right);
  for (const { mark, row } of placed) {
    const x = px(mark.x);
    const y = view.bare ? box.top + 4 : markRow(view, box, row);
    c.fillStyle = c.strokeStyle = markInk(mark);
    if (mark.high > mark.low) {
      c.globalAlpha = 0.1;
      c.fillRect(hold(mark.low), box.top, hold(mark.high) - hold(mark.low), box.bottom - box.top);
      c.globalAlpha = 1;
    }
    c.lineWidth = 0.8;
    line(c, x, y - 4, x, box.bottom);
  }
  for (const { mark, row, leftward } of view.bare ? [] : placed) {
    const x = px(mark.x);
    const y = markRow(view, box, row);
    // A patch of paper, so that lines of other marks stop before the label.
    const width = c.measureText(mark.label).width + 4;
    c.fillStyle = colour("paper");
    c.fillRect(leftward ? x - 2 - width : x + 2, y - ROW_PX / 2 + 1, width, ROW_PX - 2);
    c.fillStyle = markInk(mark);
    c.textAlign = leftward ? "right" : "left";
    c.fillText(mark.label, leftward ? x - 4 : x + 4, y);
  }
  done();
}

/** Every second region behind everything. */
export function shades(u: uPlot, view: View): void {
  const { c, box, done } = brush(u);
  const px = (x: number) => u.valToPos(x, "x", true) / devicePixelRatio;
  const hold = (x: number) => Math.min(box.right, Math.max(box.left, px(x)));
  c.fillStyle = colour("muted");
  c.globalAlpha = 0.09;
  view.figure.regions.forEach(([from, to], i) => {
    if (i % 2 === 1) return;
    c.fillRect(hold(from), box.top, hold(to) - hold(from), box.bottom - box.top);
  });
  done();
}

/** Names of the regions next to the plot, under the labels of the marks. */
export function regionNames(u: uPlot, view: View): void {
  if (view.bare || view.figure.regions.length === 0) return;
  const { c, box, done } = brush(u);
  const px = (x: number) => u.valToPos(x, "x", true) / devicePixelRatio;
  c.textAlign = "center";
  for (const { name, middle, row } of placeNames(view.figure.regions, px, box.left, box.right)) {
    const y = box.top - (view.names - row) * ROW_PX + ROW_PX / 2 - 2;
    // A patch of paper, where the line of a mark would cross the name.
    const half = c.measureText(name).width / 2 + 2;
    c.fillStyle = colour("paper");
    c.fillRect(middle - half, y - 6, 2 * half, 12);
    c.fillStyle = colour("ink");
    c.fillText(name, middle, y);
  }
  done();
}

function markInk(mark: Mark): string {
  return colour(mark.role === "knee" ? "knee" : "muted");
}

function markRow(view: View, box: Box, row: number): number {
  return box.top - (view.rows - row) * ROW_PX + ROW_PX / 2 - 2;
}

/** What lies above the lines: points with their flags, names at line ends. */
export function points(u: uPlot, view: View): void {
  const { c, box, done } = brush(u);
  const dots = view.figure.x.scale === "words";
  view.figure.series.forEach((series, s) => {
    if (!view.shown[s]) return;
    c.strokeStyle = c.fillStyle = colour(series.colour);
    for (const point of series.points) {
      const [x, y] = position(u, view, s, point);
      if (x < box.left - 2 || x > box.right + 2) continue;
      if (dots || series.points.length === 1) interval(u, c, point, dots, x, y);
      if (dots) {
        bar(c, box, x, y);
        const text = quantity(point[1], view.figure.y.unit, 3);
        const end = u.valToPos(Math.max(point[3], point[1]), "y", true) / devicePixelRatio;
        c.textAlign = "left";
        c.fillText(text, Math.min(end, box.right) + 8, y);
      }
      shape(c, point[6], x, y);
    }
  });
  if (dots) unmeasured(u, c, view, box);
  if (view.named) names(u, c, view, box);
  done();
}

/** A category has no place on a scale: its value is a length. */
function bar(c: CanvasRenderingContext2D, box: Box, x: number, y: number): void {
  c.globalAlpha = 0.28;
  c.fillRect(box.left, y - 3.5, Math.max(0, x - box.left), 7);
  c.globalAlpha = 1;
}

/** Absence is a result: rows without a point say so. */
function unmeasured(u: uPlot, c: CanvasRenderingContext2D, view: View, box: Box): void {
  const measured = new Set(view.figure.series.flatMap((s) => s.points.map((p) => p[0])));
  c.fillStyle = colour("muted");
  c.textAlign = "left";
  view.figure.x.words.forEach((_, row) => {
    if (measured.has(row)) return;
    c.fillText("not measured", box.left + 8, u.valToPos(row, "x", true) / devicePixelRatio);
  });
}

function interval(
  u: uPlot,
  c: CanvasRenderingContext2D,
  point: Point,
  dots: boolean,
  x: number,
  y: number,
): void {
  const end = (value: number) => u.valToPos(value, "y", true) / devicePixelRatio;
  c.lineWidth = 2;
  if (dots) line(c, end(point[2]), y, end(point[3]), y);
  else line(c, x, end(point[2]), x, end(point[3]));
}

/** Full: clean. Ring: disturbed. Cross: contaminated. */
function shape(c: CanvasRenderingContext2D, flag: 0 | 1 | 2, x: number, y: number): void {
  if (flag === 2) {
    c.lineWidth = 1.6;
    line(c, x - 3.6, y - 3.6, x + 3.6, y + 3.6);
    line(c, x - 3.6, y + 3.6, x + 3.6, y - 3.6);
    return;
  }
  c.beginPath();
  c.arc(x, y, flag === 0 ? 2.2 : 2.8, 0, 2 * Math.PI);
  if (flag === 0) {
    c.fill();
    return;
  }
  const ink = c.fillStyle;
  c.fillStyle = colour("paper");
  c.fill();
  c.fillStyle = ink;
  c.lineWidth = 1.3;
  c.stroke();
}

function names(u: uPlot, c: CanvasRenderingContext2D, view: View, box: Box): void {
  const ends = view.figure.series.flatMap((series, s) => {
    if (!view.shown[s]) return [];
    const inside = series.points
      .map((p) => position(u, view, s, p))
      .filter(([x]) => x >= box.left - 1 && x <= box.right + 1);
    const end = inside[inside.length - 1];
    const whole = inside.length === series.points.length;
    return end ? [{ series, x: end[0], y: end[1], whole }] : [];
  });
  const placed = spread(ends.map((e) => e.y), 13, box.top + 4, box.bottom - 2);
  c.textAlign = "left";
  ends.forEach((end, i) => {
    const y = placed[i] ?? end.y;
    const start = box.right + 8;
    // On a zoomed axis the line itself runs on to the edge.
    if (end.whole && (Math.abs(y - end.y) > 4 || start - end.x > 20)) {
      c.strokeStyle = colour("grid");
      c.lineWidth = 1;
      line(c, end.x + 4, end.y, start - 2, y);
    }
    c.fillStyle = colour(end.series.colour);
    c.fillText(end.series.name, start, y);
  });
}

function line(c: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
}
