// One frame: bars as pixels, then names, marks and arrows above them.
import { drawArrows } from "./arrows";
import { atOrAfter } from "./pyramid";
import { Raster, paintCpu, paintCrowd, paintMoments, paintSpans, paintTask, type Scale } from "./raster";
import { TASK_BAR, rowAt, type Row, type Strip } from "./rows";
import { selection, type State } from "./state";
import type { CpuRun } from "./lanes";
import type { Packed } from "./palette";
import { barLabels, clipped, font } from "./text";
import { duration, ticks } from "./view";

export const RULER = 26;
/** Of narrow screens, in pixels, and the room that names have there and elsewhere. */
const NARROW = 600;
const NARROW_GUTTER = 92;
const WIDE_GUTTER = 176;
/** Pixels. */
const LEAST_HATCHED = 6;

export class Stage {
  readonly canvas = document.createElement("canvas");
  width = 0;
  height = 0;
  gutter = 0;
  private ratio = 1;
  private raster = new Raster(1, 1);
  private readonly context: CanvasRenderingContext2D;

  constructor(private readonly state: State) {
    this.context = this.canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  }

  /** CSS pixels. */
  resize(width: number, height: number): void {
    this.ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [width, height];
    this.gutter = width < NARROW ? NARROW_GUTTER : WIDE_GUTTER;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.state.view.width = Math.max(1, width - this.gutter);
    const [left, top] = [this.device(this.gutter), this.device(RULER)];
    this.raster = new Raster(this.canvas.width - left, this.canvas.height - top);
  }

  /** The window has moved to a screen of another density. */
  get outdated(): boolean {
    return (window.devicePixelRatio || 1) !== this.ratio;
  }

  get most(): number {
    return Math.max(0, this.state.height - (this.height - RULER));
  }

  private device(length: number): number {
    return Math.round(length * this.ratio);
  }

  draw(): void {
    const { state, context } = this;
    state.scroll = Math.min(Math.max(0, state.scroll), this.most);
    const { css } = state.palette;
    this.bars();
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = css.page;
    context.fillRect(0, 0, this.width, RULER);
    context.fillRect(0, RULER, this.gutter, this.height - RULER);
    this.inLanes(() => {
      this.visible((row, top) => {
        if (row.kind === "cpu") this.cpuWords(row, top);
      });
      drawArrows(context, state, (row) => row.top - state.scroll + RULER, this.gutter);
      this.outline();
      this.marks();
    });
    this.ruler();
    this.labels();
  }

  /** Pixels of the lanes. */
  private bars(): void {
    const { state, raster } = this;
    const { packed } = state.palette;
    raster.clear(packed.page);
    const nsPerColumn = state.view.span / raster.width;
    const scale: Scale = { from: state.view.aligned(nsPerColumn), nsPerColumn, columns: raster.width + 1 };
    for (const { time } of ticks(state.view, 96).at) {
      raster.column(Math.round((time - scale.from) / nsPerColumn), 0, raster.height, packed.grid);
    }
    this.visible((row, y) => {
      const top = y - RULER;
      const line = this.device(top + row.height) - 1;
      raster.rect(0, line, raster.width, line + 1, packed.grid);
      if (row.kind === "group") raster.rect(0, this.device(top), raster.width, line, packed.raised);
      if (row.kind === "cpu") for (const strip of state.strips) this.strip(row, strip, top, scale);
      if (row.kind === "task") this.taskBar(row, top, scale);
    });
    raster.show(this.context, this.device(this.gutter), this.device(RULER));
  }

  private bar(top: number, height: number): { top: number; height: number; least: number } {
    return { top: this.device(top), height: this.device(height), least: Math.ceil(this.ratio) };
  }

  private strip(row: Row, strip: Strip, top: number, scale: Scale): void {
    const { state, raster } = this;
    const { packed, tasks } = state.palette;
    const { found } = state;
    const run = state.runs.cpus[row.index];
    if (!run) return;
    const bar = this.bar(top + strip.top, strip.height);
    const named = (name: number, colour: Packed): Packed => (found.all || found.names[name] ? colour : packed.other);
    if (strip.kind === "slices") {
      const colour = (task: number): Packed =>
        found.all || found.tasks[task] ? (tasks[task]?.packed ?? packed.soft) : packed.other;
      paintCpu(raster, run, scale, bar, colour, packed.page);
    } else if (strip.kind === "crowd") {
      paintCrowd(raster, run, scale, bar, state.runs.crowd, state.capture.head.length_ns, packed.wait);
    } else if (strip.kind === "moments") {
      const { at, name } = run.lane.moments;
      const only = found.nameCount > 0;
      paintMoments(raster, at, scale, bar, (i) =>
        only && !found.names[name[i] as number] ? null : named(name[i] as number, packed.moment));
      const { lives } = run.lane;
      paintMoments(raster, lives.at, scale, bar, (i) =>
        found.all || found.tasks[lives.task[i] as number] ? packed.ink : null);
    } else {
      const part = run[strip.kind];
      const colour = strip.kind === "hard" ? packed.hard : packed.soft_irq;
      paintSpans(raster, part, scale, bar, (i) => named(part.spans.name[i] as number, colour));
    }
  }

  private taskBar(row: Row, top: number, scale: Scale): void {
    const { state, raster } = this;
    const run = state.runs.tasks[row.index];
    if (!run) return;
    const { packed, tasks } = state.palette;
    const bar = this.bar(top + TASK_BAR.top, TASK_BAR.height);
    const colour = tasks[run.task]?.packed ?? packed.soft;
    paintTask(raster, run, scale, bar, colour, packed.wait, state.capture.head.length_ns);
    paintMoments(raster, run.lives, scale, { ...bar, top: this.device(top + 1) }, () => packed.ink);
  }

  /** Each row that is at least partly seen, and where it begins. */
  private visible(use: (row: Row, top: number) => void): void {
    const { rows, scroll } = this.state;
    for (let i = Math.max(0, rowAt(rows, scroll)); i < rows.length; i++) {
      const row = rows[i] as Row;
      const top = row.top - scroll + RULER;
      if (top >= this.height) return;
      use(row, top);
    }
  }

  private inLanes(draw: () => void): void {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(this.gutter, RULER, this.width - this.gutter, this.height - RULER);
    context.clip();
    draw();
    context.restore();
  }

  /** Names in slices, and gaps. */
  private cpuWords(row: Row, top: number): void {
    const { state, context } = this;
    const run = state.runs.cpus[row.index];
    const strip = state.strips[0];
    if (!run || !strip) return;
    barLabels(context, state, run, this.gutter, top + strip.top, strip.height);
    this.gaps(run, top, row.height);
  }

  /** Narrow ones are ticks above the bar, which they must not hide. */
  private gaps(run: CpuRun, top: number, height: number): void {
    const { state, context, gutter } = this;
    const { gaps } = run.lane;
    let last = -Infinity;
    for (let i = atOrAfter(run.gapEnds, state.view.from, 0, gaps.length); i < gaps.length; i++) {
      const gap = gaps[i];
      if (!gap || gap.start > state.view.to) break;
      const from = Math.max(-4, state.view.x(gap.start));
      const to = state.view.x(gap.end);
      if (to - from >= LEAST_HATCHED) this.gap(from, to, top, height);
      else if (to >= last + 1) {
        context.fillStyle = state.palette.css.alarm;
        context.fillRect(gutter + from, top + 1, Math.max(1, to - from), 3);
        last = to;
      }
    }
  }

  private gap(from: number, to: number, top: number, height: number): void {
    const { context, gutter } = this;
    const left = gutter + from;
    const width = Math.max(2, Math.min(to, this.width) - from);
    context.save();
    context.beginPath();
    context.rect(left, top + 1, width, height - 3);
    context.clip();
    context.globalAlpha = 0.75;
    context.strokeStyle = this.state.palette.css.alarm;
    context.beginPath();
    const first = Math.floor(Math.max(left, gutter) / 7) * 7 - height;
    for (let x = first; x < left + width; x += 7) {
      context.moveTo(x, top + height);
      context.lineTo(x + height, top);
    }
    context.stroke();
    context.globalAlpha = 1;
    context.strokeRect(left + 0.5, top + 1.5, width - 1, height - 4);
    context.restore();
  }

  /** What is chosen or under the pointer. */
  private outline(): void {
    const { state, context } = this;
    for (const hit of [state.chosen, state.hover]) {
      if (hit?.kind !== "slice") continue;
      const row = state.rows.find((r) => r.kind === "cpu" && r.index === hit.cpu);
      const strip = state.strips[0];
      const task = state.capture.slices.task[hit.slice];
      const lane = state.rows.find((r) => r.kind === "task" && state.runs.tasks[r.index]?.task === task);
      const left = this.gutter + state.view.x(hit.start);
      const width = Math.max(2, state.view.x(hit.end) - state.view.x(hit.start));
      context.strokeStyle = state.palette.css.ink;
      context.lineWidth = hit === state.chosen ? 2 : 1;
      const box = (top: number, height: number): void => {
        context.strokeRect(left, top - state.scroll + RULER, width, height);
      };
      if (row && strip) box(row.top + strip.top - 0.5, strip.height + 1);
      if (lane) box(lane.top + TASK_BAR.top - 0.5, TASK_BAR.height + 1);
    }
    context.lineWidth = 1;
  }

  private marks(): void {
    const { state, context, gutter } = this;
    const both = selection(state);
    const { css } = state.palette;
    if (both) {
      const [from, to] = [state.view.x(both[0]), state.view.x(both[1])];
      context.globalAlpha = 0.1;
      context.fillStyle = css.link;
      context.fillRect(gutter + from, RULER, to - from, this.height);
      context.globalAlpha = 1;
    }
    context.fillStyle = css.link;
    for (const time of state.marks) {
      if (time === time) context.fillRect(gutter + Math.round(state.view.x(time)) - 0.5, RULER, 1.5, this.height);
    }
  }

  private ruler(): void {
    const { state, context, gutter } = this;
    const { css } = state.palette;
    context.font = font(11);
    context.textBaseline = "middle";
    const { base, at } = ticks(state.view, 96);
    context.save();
    context.beginPath();
    context.rect(gutter, 0, this.width - gutter, RULER);
    context.clip();
    const flags = this.flags();
    for (const { time, label } of at) {
      const x = gutter + state.view.x(time);
      context.fillStyle = css.rule;
      context.fillRect(Math.round(x), RULER - 6, 1, 6);
      const width = context.measureText(label).width + 4;
      const taken = flags.some(([left, right]) => x + width > left - 3 && x < right + 3);
      if (taken || x + width > this.width) continue;
      context.fillStyle = css.muted;
      context.fillText(label, x + 4, RULER / 2);
    }
    context.restore();
    context.fillStyle = css.muted;
    context.textAlign = "right";
    context.fillText(clipped(context, base, gutter - 10), gutter - 6, RULER / 2);
    context.textAlign = "left";
    context.fillStyle = css.rule;
    context.fillRect(0, RULER - 1, this.width, 1);
    context.fillRect(gutter - 1, 0, 1, this.height);
  }

  /** A and B, and the time between them; returns the places that they take. */
  private flags(): [number, number][] {
    const { state, context, gutter } = this;
    const { css } = state.palette;
    const taken: [number, number][] = [];
    const flag = (x: number, text: string): void => {
      const half = context.measureText(text).width / 2 + 4;
      // B keeps off A, and words off both.
      if (taken.some(([left, right]) => x + half > left && x - half < right)) return;
      taken.push([x - half, x + half]);
      context.fillStyle = css.link;
      context.fillRect(x - half, 3, 2 * half, RULER - 7);
      context.fillStyle = css.page;
      context.fillText(text, x - half + 4, RULER / 2 - 0.5);
    };
    state.marks.forEach((time, i) => {
      if (time === time) flag(gutter + state.view.x(time), i === 0 ? "A" : "B");
    });
    const both = selection(state);
    if (both) {
      const from = Math.max(0, state.view.x(both[0]));
      const to = Math.min(state.view.width, state.view.x(both[1]));
      flag(gutter + (from + to) / 2, duration(both[1] - both[0]));
    }
    return taken;
  }

  private labels(): void {
    const { state, context, gutter } = this;
    const { css } = state.palette;
    context.save();
    context.beginPath();
    context.rect(0, RULER, gutter - 1, this.height - RULER);
    context.clip();
    context.textBaseline = "middle";
    this.visible((row, top) => {
      if (row.kind === "group") {
        context.fillStyle = css.raised;
        context.fillRect(0, top, gutter - 1, row.height - 1);
      } else if (row.kind === "cpu") {
        this.name(`CPU ${state.runs.cpus[row.index]?.lane.cpu ?? ""}`, "", top + 5 + 9);
        this.signs(top + Math.max(row.height - 13, 28));
      } else {
        const task = state.runs.tasks[row.index]?.task ?? 0;
        const [pid, name] = state.capture.head.tasks[task] ?? [0, ""];
        context.fillStyle = state.palette.tasks[task]?.css ?? css.soft;
        context.fillRect(8, top + 6, 8, 8);
        this.name(name, String(pid), top + row.height / 2);
      }
    });
    context.restore();
  }

  /** What the thin strips of a CPU are. */
  private signs(y: number): void {
    const { state, context, gutter } = this;
    const { css } = state.palette;
    const known = { crowd: ["queue", css.wait], hard: ["irq", css.hard], soft: ["softirq", css.soft_irq], moments: ["event", css.moment] } as const;
    if (gutter < WIDE_GUTTER) return;
    context.font = font(10);
    let x = 8;
    for (const { kind } of state.strips) {
      if (kind === "slices") continue;
      const [word, colour] = known[kind];
      context.fillStyle = colour;
      context.fillRect(x, y - 3, 6, 6);
      context.fillStyle = css.muted;
      context.fillText(word, x + 9, y + 0.5);
      x += 9 + context.measureText(word).width + 6;
    }
  }

  private name(name: string, pid: string, y: number): void {
    const { context, gutter } = this;
    const { css } = this.state.palette;
    const left = pid === "" ? 8 : 21;
    context.font = font(12);
    context.fillStyle = css.ink;
    const room = gutter - left - 6;
    const shown = clipped(context, name, room);
    context.fillText(shown, left, y);
    // The pid only where the name leaves room for it.
    const rest = room - context.measureText(shown).width - 8;
    context.font = font(11);
    if (context.measureText(pid).width > rest) return;
    context.textAlign = "right";
    context.fillStyle = css.soft;
    context.fillText(pid, gutter - 7, y);
    context.textAlign = "left";
  }
}
