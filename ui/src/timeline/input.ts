// Pointer, fingers and wheel on the lanes.
import { onCpu, onCrowd, onLives, onMoments, onSpans, onTask, type Hit } from "./hit";
import { atOrAfter } from "./pyramid";
import { rowAt, TASK_BAR } from "./rows";
import { RULER, type Stage } from "./stage";
import type { State } from "./state";

/** Pixels within which an edge draws a mark to itself. */
const SNAP = 7;
const CLICK = 4;

export interface Actions {
  redraw(): void;
  /** Something else is under the pointer, which is there. */
  hovered(x: number, y: number, touch: boolean): void;
  chosen(): void;
  marked(): void;
}

export class Pointer {
  /** The pointer's last place; NaN: it is elsewhere. */
  x = NaN;
  y = NaN;
  /** Which mark the next tap sets; -1: none. */
  arm = -1;
  private readonly down = new Map<number, { x: number; y: number }>();
  private moved = 0;
  private mode: "none" | "pan" | "scroll" | "select" | "pinch" = "none";

  constructor(
    private readonly state: State,
    private readonly stage: Stage,
    private readonly actions: Actions,
    /** Inside a longer page the wheel belongs to the page, until the lanes have the focus. */
    private readonly embedded: boolean,
  ) {
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (e) => this.press(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.release(e));
    canvas.addEventListener("pointercancel", (e) => this.release(e));
    // A finger that is lifted leaves, too; what it asked for stays.
    canvas.addEventListener("pointerleave", (e) => e.pointerType !== "touch" && this.leave());
    canvas.addEventListener("dblclick", () => this.fit());
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
  }

  /** In the lanes, from their left edge. */
  private lane(x: number): number {
    return x - this.stage.gutter;
  }

  hit(x: number, y: number, touch = false): Hit | null {
    const { state, stage } = this;
    if (y < RULER || x < stage.gutter) return null;
    const place = y - RULER + state.scroll;
    const row = state.rows[rowAt(state.rows, place)];
    if (!row || row.kind === "group") return null;
    const time = state.view.time(this.lane(x));
    const reach = state.view.nsPerPixel * (touch ? 12 : 3);
    if (row.kind === "task") {
      const run = state.runs.tasks[row.index];
      const inside = place - row.top >= TASK_BAR.top - 2;
      return run && inside ? onTask(state.capture, state.runs, run, time, reach) : null;
    }
    const run = state.runs.cpus[row.index];
    if (!run) return null;
    const below = place - row.top;
    const strip = state.strips.find((s) => below < s.top + s.height + 1) ?? state.strips[state.strips.length - 1];
    switch (strip?.kind) {
      case "hard":
        return onSpans(run.hard.spans, row.index, time, reach);
      case "soft":
        return onSpans(run.soft.spans, row.index, time, reach);
      case "moments":
        return onLives(run, row.index, time, reach) ?? onMoments(run, row.index, time, reach);
      case "crowd":
        return onCrowd(run, row.index, time, state.capture.head.length_ns);
      default:
        return onCpu(run, row.index, time, reach);
    }
  }

  /** The time at `x`, or the edge of a slice near it: of the lane there, else of any CPU. */
  snapped(x: number, y: number): number {
    const { state } = this;
    const time = state.view.time(this.lane(x));
    const reach = state.view.nsPerPixel * SNAP;
    const row = state.rows[rowAt(state.rows, y - RULER + state.scroll)];
    const own = y < RULER || !row ? null : row.kind === "cpu" ? state.runs.cpus[row.index] : row.kind === "task" ? state.runs.tasks[row.index] : null;
    let best = time;
    let least = reach;
    for (const { start, end } of own ? [own] : state.runs.cpus) {
      for (const edges of [start, end]) {
        const i = atOrAfter(edges, time, 0, edges.length);
        for (const edge of [edges[i - 1], edges[i]]) {
          if (edge !== undefined && Math.abs(edge - time) < least) {
            least = Math.abs(edge - time);
            best = edge;
          }
        }
      }
    }
    return Math.min(Math.max(0, best), state.view.length);
  }

  /** Sets A (0) or B (1) at the pointer, else in the middle. */
  mark(which: number, x = this.x, y = this.y): void {
    const inside = x === x && x >= this.stage.gutter;
    this.state.marks[which] = inside
      ? this.snapped(x, y)
      : Math.min(Math.max(0, this.state.view.from + this.state.view.span / 2), this.state.view.length);
    this.actions.marked();
  }

  private press(e: PointerEvent): void {
    if (e.button !== 0) return;
    const { canvas, gutter } = this.stage;
    canvas.setPointerCapture(e.pointerId);
    this.down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
    if (this.down.size === 2) {
      this.mode = "pinch";
      this.moved = CLICK + 1;
      return;
    }
    this.moved = 0;
    const select = e.offsetX >= gutter && (e.offsetY < RULER || e.shiftKey);
    this.mode = select ? "select" : e.offsetX < gutter ? "scroll" : "pan";
  }

  private move(e: PointerEvent): void {
    [this.x, this.y] = [e.offsetX, e.offsetY];
    const touch = e.pointerType === "touch";
    const before = this.down.get(e.pointerId);
    if (!before) {
      this.state.hover = this.hit(this.x, this.y);
      this.actions.hovered(this.x, this.y, touch);
      return;
    }
    const [dx, dy] = [e.offsetX - before.x, e.offsetY - before.y];
    this.moved += Math.abs(dx) + Math.abs(dy);
    if (this.moved <= CLICK) return;
    if (this.mode === "pinch") this.pinch(e);
    else if (this.mode === "select") this.select(before, e);
    else {
      if (this.mode === "pan") this.state.view.pan(-dx);
      this.state.scroll -= dy;
    }
    if (this.mode !== "select") this.down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
    this.state.hover = null;
    this.actions.hovered(NaN, NaN, touch);
    this.actions.redraw();
  }

  private select(from: { x: number; y: number }, e: PointerEvent): void {
    this.state.marks = [this.snapped(from.x, from.y), this.snapped(e.offsetX, e.offsetY)];
    this.actions.marked();
  }

  private pinch(e: PointerEvent): void {
    const other = [...this.down].find(([id]) => id !== e.pointerId)?.[1];
    const before = this.down.get(e.pointerId);
    if (!other || !before) return;
    const apart = (a: { x: number }, x: number): number => Math.max(12, Math.abs(a.x - x));
    const middle = (other.x + e.offsetX) / 2;
    this.state.view.zoom(apart(other, before.x) / apart(other, e.offsetX), this.lane(middle));
    this.state.view.pan(-(e.offsetX - before.x) / 2);
    this.state.scroll -= (e.offsetY - before.y) / 2;
  }

  private release(e: PointerEvent): void {
    const begun = this.down.delete(e.pointerId);
    if (!begun || this.down.size > 0) return;
    const still = this.moved <= CLICK && e.type === "pointerup";
    this.mode = "none";
    if (!still) return;
    [this.x, this.y] = [e.offsetX, e.offsetY];
    if (this.arm >= 0) {
      const which = this.arm;
      this.arm = -1;
      this.mark(which, e.offsetX, e.offsetY);
      return;
    }
    const touch = e.pointerType === "touch";
    this.state.chosen = this.state.hover = this.hit(e.offsetX, e.offsetY, touch);
    this.actions.hovered(e.offsetX, e.offsetY, touch);
    this.actions.chosen();
  }

  private leave(): void {
    [this.x, this.y] = [NaN, NaN];
    this.state.hover = null;
    this.actions.hovered(NaN, NaN, false);
  }

  /** To what is chosen, with something on either side. */
  private fit(): void {
    const { chosen, view } = this.state;
    if (!chosen || !(chosen.end > chosen.start)) return;
    const length = chosen.end - chosen.start;
    view.show(chosen.start - length * 0.3, chosen.end + length * 0.3);
    this.actions.redraw();
  }

  private wheel(e: WheelEvent): void {
    const { state, stage } = this;
    const free = this.embedded && document.activeElement !== stage.canvas;
    if (free && !e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    // Lines and pages instead of pixels.
    const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
    const [dx, dy] = [e.deltaX * unit, e.deltaY * unit];
    if (e.offsetX < stage.gutter) state.scroll += dy;
    else if (e.shiftKey && dx === 0) state.view.pan(dy);
    else if (Math.abs(dx) > Math.abs(dy)) state.view.pan(dx);
    else state.view.zoom(Math.exp(Math.max(-200, Math.min(200, dy)) * 0.0022), this.lane(e.offsetX));
    this.actions.redraw();
  }
}
