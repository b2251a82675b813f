// One figure of the page as an interactive plot.
import uPlot from "uplot";
import type { Axis, Figure, Point } from "./data";
import { tick } from "./format";
import { ROW_PX, placeMarks, placeNames, textWidth } from "./labels";
import { DOT_GAP_PX, type View, marks, points, regionNames, shades } from "./paint";
import { Panels } from "./panels";
import { Readout } from "./readout";
import { colour, onChange } from "./theme";
import { type Ticks, ticks } from "./ticks";

const NARROW_PX = 560;
const MOST_NAMES = 22;
export const PANEL_TICKS = 3;

/** What the plots of one figure have in common. */
export interface Shared {
  view: View;
  width: number;
  /** Width of the y axes. */
  left: number;
  /** Whether no panel follows that would carry the x axis. */
  last: boolean;
}

/** Replaces the static drawing of `host` by an interactive one. */
export function enliven(host: HTMLElement, figure: Figure): void {
  const before = host.querySelector("figcaption");
  const box = element("div", "live");
  const area = element("div", "area");
  area.tabIndex = 0;
  area.setAttribute("role", "group");
  area.setAttribute("aria-label", `${figure.title}: arrow keys move through the points`);
  const view: View = {
    figure,
    shown: figure.series.map(() => true),
    rows: 0,
    names: 0,
    named: false,
    bare: false,
  };
  const readout = new Readout(view);
  const reset = element("button", "reset") as HTMLButtonElement;
  reset.type = "button";
  reset.textContent = "Whole axis";
  reset.hidden = true;
  const label = element("p", "ylabel");
  label.textContent = isDots(figure) ? "" : figure.y.label;
  const panels = new Panels(view);
  box.append(label, area, ...panels.elements, reset, readout.element);
  before?.after(box);
  host.classList.add("is-live");

  let plot: uPlot | undefined;
  let width = 0;
  const draw = (): void => {
    width = area.clientWidth;
    if (width === 0) return;
    plot?.destroy();
    layout(view, width);
    const shared = { view, width, left: leftOf(figure), last: figure.below.length === 0 };
    plot = new uPlot(options(shared, reset, readout, panels), data(figure), area);
    readout.attach(plot);
    panels.draw(shared, plot);
  };
  const redraw = (): void => {
    plot?.redraw(false, true);
    panels.redraw();
  };

  if (figure.series.length > 1) label.before(legend(view, () => (plot ? [plot, ...panels.plots] : []), redraw));
  reset.addEventListener("click", () => wholeAxis(plot, reset));
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") wholeAxis(plot, reset);
    else readout.key(event);
  });
  onChange(redraw);
  new ResizeObserver(() => {
    if (Math.abs(area.clientWidth - width) > 1) requestAnimationFrame(draw);
  }).observe(area);
  draw();
}

export function element(tag: string, name: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = name;
  return made;
}

function isDots(figure: Figure): boolean {
  return figure.x.scale === "words";
}

function wholeAxis(plot: uPlot | undefined, reset: HTMLButtonElement): void {
  const xs = plot?.data[0];
  if (!plot || !xs || xs.length === 0) return;
  plot.setScale("x", { min: xs[0] ?? 0, max: xs[xs.length - 1] ?? 1 });
  reset.hidden = true;
}

/** Decides what the width allows. */
function layout(view: View, width: number): void {
  const count = view.figure.series.length;
  view.named = !isDots(view.figure) && width >= NARROW_PX && count > 1 && count <= MOST_NAMES;
  const left = leftOf(view.figure);
  const right = width - nameColumn(view);
  const [low, high] = view.figure.x.range;
  const log = view.figure.x.scale !== "linear";
  const at = (x: number) => (log ? Math.log2(Math.max(x, Number.MIN_VALUE)) : x);
  const px = (x: number) => left + ((at(x) - at(low)) / (at(high) - at(low) || 1)) * (right - left);
  const placed = placeMarks(view.figure.marks, px, left, right);
  const names = placeNames(view.figure.regions, px, left, right);
  view.names = names.reduce((most, p) => Math.max(most, p.row + 1), 0);
  view.rows = placed.reduce((most, p) => Math.max(most, p.row + 1), 0) + view.names;
}

export function nameColumn(view: View): number {
  if (isDots(view.figure)) return 76;
  if (!view.named) return 14;
  return Math.max(...view.figure.series.map((s) => textWidth(s.name))) + 22;
}

function yAxisWidth(axis: Axis, room: number): number {
  const [low, high] = axis.range;
  const shown = ticks(axis, low, high, room);
  return Math.max(...[...shown.named].map((v) => textWidth(tick(v, axis))), 20) + 14;
}

/** Plots over one x axis begin at one place: the widest y axis decides. */
function leftOf(figure: Figure): number {
  const widths = figure.below.map((p) => yAxisWidth(p.y, PANEL_TICKS));
  return Math.max(yAxisWidth(figure.y, 6), ...widths);
}

function heightOf(view: View, width: number): number {
  if (isDots(view.figure)) {
    const row = DOT_GAP_PX * view.figure.series.length + 11;
    return row * Math.max(2, view.figure.x.words.length) + 58;
  }
  return Math.round(Math.min(340, Math.max(240, width * 0.45))) + view.rows * ROW_PX;
}

/** Columns for uPlot: x, then y, high, low of each series. */
export function data(figure: Pick<Figure, "y" | "series">): uPlot.AlignedData {
  const xs = [...new Set(figure.series.flatMap((s) => s.points.map((p) => p[0])))];
  xs.sort((a, b) => a - b);
  const [floor, ceiling] = figure.y.range;
  const hold = (v: number) => Math.min(ceiling, Math.max(floor, v));
  const columns = figure.series.flatMap((series) => {
    const byX = new Map(series.points.map((p) => [p[0], p] as const));
    const column = (of: (p: Point) => number) =>
      xs.map((x) => {
        const p = byX.get(x);
        return p && Number.isFinite(of(p)) ? of(p) : undefined;
      });
    return [column((p) => p[1]), column((p) => hold(p[3])), column((p) => hold(p[2]))];
  });
  return [xs, ...columns] as uPlot.AlignedData;
}

function options(
  shared: Shared,
  reset: HTMLButtonElement,
  readout: Readout,
  panels: Panels,
): uPlot.Options {
  const { view, width } = shared;
  const { figure } = view;
  const dots = isDots(figure);
  return {
    width,
    height: heightOf(view, width) - (shared.last ? 0 : X_AXIS_PX - FOOT_PX),
    padding: [view.rows * ROW_PX + 6, nameColumn(view), shared.last ? 0 : FOOT_PX, 0],
    legend: { show: false },
    cursor: {
      x: !dots,
      y: false,
      points: { show: false },
      drag: { x: !dots, y: false, dist: 8 },
      ...panels.sync,
    },
    scales: {
      x: dots ? wordScale(figure.x) : xScale(figure.x),
      y: { ...distribution(figure.y), range: () => figure.y.range, ori: dots ? 0 : 1 },
    },
    axes: dots ? dotAxes(view) : curveAxes(shared, figure.y, 6),
    series: [{}, ...figure.series.flatMap((_, s) => seriesOptions(view, s, dots))],
    bands: dots ? [] : figure.series.map((_, s) => band(view, s)),
    hooks: {
      drawClear: [(u) => shades(u, view)],
      drawAxes: [(u) => marks(u, view), (u) => regionNames(u, view)],
      draw: [(u) => points(u, view)],
      setScale: [
        (u, key) => {
          if (key !== "x" || dots) return;
          reset.hidden = !isZoomed(u);
          readout.clear();
          panels.zoom(u);
        },
      ],
    },
  };
}

function isZoomed(u: uPlot): boolean {
  const xs = u.data[0];
  const { min, max } = u.scales["x"] ?? {};
  if (min == null || max == null) return false;
  return min > (xs[0] ?? min) || max < (xs[xs.length - 1] ?? max);
}

export function distribution(axis: Axis): Partial<uPlot.Scale> {
  if (axis.scale === "log2") return { distr: 3, log: 2 };
  if (axis.scale === "log10") return { distr: 3, log: 10 };
  return { distr: 1 };
}

export function xScale(axis: Axis): uPlot.Scale {
  const log = axis.scale === "log2" || axis.scale === "log10";
  const range = (_: uPlot, min: number, max: number): uPlot.Range.MinMax => {
    if (min == null || max == null) return axis.range;
    if (min === max) return axis.range;
    // A little room, so that points at the ends are whole.
    const room = log ? (max / min) ** 0.012 : (max - min) * 0.012;
    return log ? [min / room, max * room] : [min - room, max + room];
  };
  return { time: false, ...distribution(axis), range };
}

function wordScale(axis: Axis): uPlot.Scale {
  return { time: false, distr: 1, ori: 1, dir: -1, range: () => axis.range };
}

export function seriesOptions(view: View, s: number, dots: boolean): uPlot.Series[] {
  const hidden: uPlot.Series = {
    scale: "y",
    points: { show: false },
    spanGaps: true,
    paths: () => null,
  };
  if (dots) return [hidden, hidden, hidden];
  const role = view.figure.series[s]?.colour ?? "ink";
  const edge: uPlot.Series = { scale: "y", points: { show: false }, spanGaps: true, width: 0 };
  return [
    { scale: "y", points: { show: false }, spanGaps: true, width: 1.5, stroke: () => colour(role) },
    edge,
    edge,
  ];
}

export function band(view: View, s: number): uPlot.Band {
  const role = view.figure.series[s]?.colour ?? "ink";
  return { series: [s * 3 + 2, s * 3 + 3], fill: () => faded(colour(role)) };
}

/** A colour of the style sheet, `#rrggbb`, at the opacity of a band. */
function faded(hex: string): string {
  return `${hex}2e`;
}

const axisInk = {
  stroke: () => colour("muted"),
  grid: { stroke: () => colour("grid"), width: 1 },
  ticks: { stroke: () => colour("grid"), width: 1, size: 5 },
  font: `11px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`,
  gap: 4,
};

/** Ticks and labels of one axis; `room` decides how many labels fit. */
function ticking(axis: Axis, room: (u: uPlot) => number): Partial<uPlot.Axis> {
  const at = (u: uPlot, min: number, max: number): Ticks => ticks(axis, min, max, room(u));
  let last: Ticks = { values: [], named: new Set() };
  return {
    splits: (u, _i, min, max) => (last = at(u, min, max)).values,
    values: (_u, splits) => splits.map((v) => (last.named.has(v) ? tick(v, axis) : "")),
    filter: (_u, splits) => splits,
    space: 0,
  };
}

/** Height of the x axis with its label. */
export const X_AXIS_PX = 44;
/** Under a plot without one: half of the lowest label of the y axis. */
export const FOOT_PX = 7;

/** The x axis is labelled under the last of the plots over it. */
export function curveAxes({ view, width, left, last }: Shared, y: Axis, room: number): uPlot.Axis[] {
  const { x } = view.figure;
  const labels = Math.max(3, Math.min(10, Math.floor(width / 72)));
  return [
    {
      ...axisInk,
      ...ticking(x, () => labels),
      grid: { show: false },
      ticks: { ...axisInk.ticks, stroke: () => colour("muted"), size: last ? 5 : 0 },
      ...(last
        ? { label: x.label, labelSize: 18, labelFont: axisInk.font, size: 26 }
        : { values: (_u: uPlot, splits: number[]) => splits.map(() => ""), size: 0 }),
    },
    { ...axisInk, ...ticking(y, () => room), scale: "y", size: left },
  ];
}

function dotAxes(view: View): uPlot.Axis[] {
  const { x, y } = view.figure;
  const widest = Math.max(...x.words.map((w) => textWidth(w)), 20);
  return [
    {
      ...axisInk,
      ...ticking(x, () => x.words.length),
      side: 3,
      size: widest + 14,
      grid: { show: false },
      ticks: { show: false },
      stroke: () => colour("ink"),
    },
    {
      ...axisInk,
      ...ticking(y, (u) => Math.max(2, Math.min(6, Math.floor(u.width / 110)))),
      scale: "y",
      side: 2,
      label: y.label,
      labelSize: 18,
      labelFont: axisInk.font,
      size: 26,
    },
  ];
}

/** Buttons that show and hide series. */
function legend(view: View, plots: () => uPlot[], redraw: () => void): HTMLElement {
  const list = element("div", "series");
  list.setAttribute("role", "group");
  list.setAttribute("aria-label", "Series");
  view.figure.series.forEach((series, s) => {
    const button = element("button", "toggle") as HTMLButtonElement;
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    const swatch = element("span", "swatch");
    swatch.style.background = `var(--${series.colour})`;
    button.append(swatch, series.name);
    button.addEventListener("click", () => {
      view.shown[s] = !view.shown[s];
      button.setAttribute("aria-pressed", String(view.shown[s]));
      for (const column of [1, 2, 3]) {
        for (const plot of plots()) {
          plot.setSeries(s * 3 + column, { show: view.shown[s] ?? true });
        }
      }
      redraw();
    });
    list.append(button);
  });
  return list;
}
