// The line under a plot that says everything about the point under the pointer.
import type uPlot from "uplot";
import type { Point } from "./data";
import { place, quantity } from "./format";
import { type View, position } from "./paint";

const REACH_PX = 60;
const FLAG = ["clean", "disturbed, median not shifted", "CONTAMINATED"] as const;

export class Readout {
  readonly element = document.createElement("p");
  private readonly ring = document.createElement("div");
  private plot: uPlot | undefined;
  private series = 0;
  private index = -1;
  private readonly hint: string;

  constructor(private readonly view: View) {
    this.element.className = "readout";
    this.element.setAttribute("aria-live", "polite");
    this.hint =
      "Point at the figure, or focus it and use the arrow keys" +
      (view.figure.x.scale === "words" ? "." : "; drag to zoom.");
    this.element.textContent = this.hint;
    this.ring.className = "ring";
    this.ring.hidden = true;
  }

  attach(plot: uPlot): void {
    this.plot = plot;
    this.ring.hidden = true;
    plot.over.append(this.ring);
    const near = (event: PointerEvent) => this.nearest(event);
    plot.over.addEventListener("pointermove", near);
    plot.over.addEventListener("pointerdown", near);
    plot.over.addEventListener("pointerleave", () => this.clear());
  }

  key(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const other = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined && other === undefined) return;
    event.preventDefault();
    if (other !== undefined) this.otherSeries(other);
    const points = this.view.figure.series[this.series]?.points ?? [];
    if (points.length === 0) return;
    this.index = Math.min(points.length - 1, Math.max(0, this.index + (step ?? 0)));
    this.show();
  }

  private otherSeries(step: number): void {
    const count = this.view.figure.series.length;
    for (let i = 1; i <= count; i++) {
      const next = (((this.series + step * i) % count) + count) % count;
      if (this.view.shown[next]) {
        this.series = next;
        return;
      }
    }
  }

  private nearest(event: PointerEvent): void {
    const plot = this.plot;
    if (!plot) return;
    const bounds = plot.over.getBoundingClientRect();
    const x = event.clientX - bounds.left + plot.bbox.left / devicePixelRatio;
    const y = event.clientY - bounds.top + plot.bbox.top / devicePixelRatio;
    // A zoomed axis leaves points outside.
    const first = plot.bbox.left / devicePixelRatio;
    const last = first + plot.bbox.width / devicePixelRatio;
    let best = REACH_PX;
    let found = false;
    this.view.figure.series.forEach((series, s) => {
      if (!this.view.shown[s]) return;
      series.points.forEach((point, i) => {
        const [px, py] = position(plot, this.view, s, point);
        if (px < first - 1 || px > last + 1) return;
        const away = Math.hypot(px - x, py - y);
        if (away < best) {
          best = away;
          this.series = s;
          this.index = i;
          found = true;
        }
      });
    });
    if (found) this.show();
    else this.clear();
  }

  /** Forgets the point: the plot has moved under it. */
  clear(): void {
    this.ring.hidden = true;
    this.element.textContent = this.hint;
    this.index = -1;
  }

  private show(): void {
    const series = this.view.figure.series[this.series];
    const point = series?.points[this.index];
    if (!series || !point || !this.plot) return;
    const [x, y] = position(this.plot, this.view, this.series, point);
    this.ring.hidden = false;
    this.ring.style.left = `${x - this.plot.bbox.left / devicePixelRatio}px`;
    this.ring.style.top = `${y - this.plot.bbox.top / devicePixelRatio}px`;
    this.element.replaceChildren(...this.words(series.name, point));
  }

  private words(name: string, point: Point): (Node | string)[] {
    const { x, y } = this.view.figure;
    const [at, value, low, high, samples, level, flag, remark] = point;
    const strong = document.createElement("b");
    strong.textContent = quantity(value, y.unit, 4);
    const several = this.view.figure.series.length > 1 ? `${name} · ` : "";
    const ends = `${quantity(low, y.unit, 4)} … ${quantity(high, y.unit, 4)}`;
    const interval = level > 0 ? ` (${ends}, ${(level * 100).toFixed(1)} %)` : "";
    const said = remark === "" ? "" : `: ${remark}`;
    return [
      `${several}${place(at, x)} · `,
      strong,
      `${interval}${this.below(at)} · n ${samples} · ${FLAG[flag]}${said}`,
    ];
  }

  /** What the panels under the figure show at the same place. */
  private below(at: number): string {
    return this.view.figure.below
      .map(({ y, series }) => {
        const point = series[this.series]?.points.find((p) => p[0] === at);
        return point ? ` · ${y.label} ${quantity(point[1], y.unit, 3)}` : "";
      })
      .join("");
  }
}
