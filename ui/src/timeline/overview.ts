// The whole capture in one strip, and the window that is seen of it.
import { covered } from "./summary";
import type { State } from "./state";

const HEIGHT = 46;
/** Where a finger or a pointer takes hold of the window's edge. */
const GRIP = 8;

export class Overview {
  readonly canvas = document.createElement("canvas");
  /** The load, which does not change while the window moves. */
  private readonly load = document.createElement("canvas");
  private gutter = 0;
  private width = 0;
  private ratio = 1;

  constructor(
    private readonly state: State,
    private readonly changed: () => void,
  ) {
    this.canvas.className = "tl-over";
    this.canvas.setAttribute("aria-hidden", "true");
    this.listen();
  }

  resize(width: number, gutter: number): void {
    this.ratio = window.devicePixelRatio || 1;
    [this.width, this.gutter] = [width, gutter];
    for (const canvas of [this.canvas, this.load]) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(HEIGHT * this.ratio);
    }
    this.canvas.style.height = `${HEIGHT}px`;
    this.paintLoad();
  }

  private get room(): number {
    return Math.max(1, this.width - this.gutter);
  }

  private time(x: number): number {
    return ((x - this.gutter) / this.room) * this.state.view.length;
  }

  private x(time: number): number {
    return this.gutter + (time / this.state.view.length) * this.room;
  }

  /** Busy CPUs of all, interrupts, and where events are missing. */
  paintLoad(): void {
    const { runs, view, palette } = this.state;
    const context = this.load.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = palette.css.page;
    context.fillRect(0, 0, this.width, HEIGHT);
    const [bottom, full] = [HEIGHT - 3, HEIGHT - 8];
    const step = view.length / this.room;
    const all = Math.max(1, runs.cpus.length) * step;
    for (let x = 0; x < this.room; x++) {
      const [from, to] = [x * step, (x + 1) * step];
      const sum = (of: (i: number) => number): number => runs.cpus.reduce((s, _, i) => s + of(i), 0);
      const busy = sum((i) => covered(runs.cpus[i] as never, from, to));
      const height = busy > 0 ? Math.max(1, (busy / all) * full) : 0;
      context.fillStyle = palette.css.soft;
      context.fillRect(this.gutter + x, bottom - height, 1, height);
    }
    context.fillStyle = palette.css.alarm;
    for (const { lane } of runs.cpus) {
      for (const gap of lane.gaps) {
        const from = this.x(gap.start);
        context.fillRect(from, 0, Math.max(1.5, this.x(gap.end) - from), 4);
      }
    }
    context.fillStyle = palette.css.rule;
    context.fillRect(this.gutter, bottom, this.room, 1);
    context.fillStyle = palette.css.muted;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(this.gutter > 120 ? "load of all CPUs" : "load", this.gutter - 7, HEIGHT / 2);
  }

  draw(): void {
    const { view, palette, marks } = this.state;
    const context = this.canvas.getContext("2d") as CanvasRenderingContext2D;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.load, 0, 0);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const from = Math.max(this.gutter, this.x(view.from));
    const to = Math.min(this.width, this.x(view.to));
    context.fillStyle = palette.css.page;
    context.globalAlpha = 0.6;
    context.fillRect(this.gutter, 0, from - this.gutter, HEIGHT);
    context.fillRect(to, 0, this.width - to, HEIGHT);
    context.globalAlpha = 1;
    context.strokeStyle = context.fillStyle = palette.css.link;
    context.lineWidth = 1.5;
    // A window of no width can be seen and taken hold of, too.
    const least = Math.max(3, to - from);
    context.strokeRect(from + 0.75, 1.5, least - 1.5, HEIGHT - 4);
    for (const time of marks) if (time === time) context.fillRect(this.x(time) - 0.5, 0, 1, HEIGHT);
  }

  private listen(): void {
    const { canvas } = this;
    let drag: { what: "move" | "from" | "to" | "new"; at: number } | null = null;
    const grip = (x: number): "move" | "from" | "to" | "new" => {
      const { view } = this.state;
      const [from, to] = [this.x(view.from), this.x(view.to)];
      // Of a narrow window the middle stays free to move it.
      const reach = Math.min(GRIP, Math.max(3, (to - from) / 4));
      if (Math.abs(x - from) <= reach) return "from";
      if (Math.abs(x - to) <= reach) return "to";
      const whole = to - from > this.room * 0.97;
      return x > from && x < to && !whole ? "move" : "new";
    };
    canvas.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      canvas.setPointerCapture(e.pointerId);
      drag = { what: grip(e.offsetX), at: this.time(e.offsetX) };
    });
    canvas.addEventListener("pointermove", (e) => {
      const { view } = this.state;
      if (!drag) {
        const what = grip(e.offsetX);
        canvas.style.cursor = what === "move" ? "grab" : what === "new" ? "crosshair" : "ew-resize";
        return;
      }
      const time = this.time(e.offsetX);
      if (drag.what === "move") {
        view.centre(view.from + view.span / 2 + time - drag.at);
        drag.at = time;
      } else {
        const other = drag.what === "from" ? view.to : drag.what === "to" ? view.from : drag.at;
        // The edge that is not held stays, and edges may pass one another.
        if (drag.what !== "new") drag = { what: "new", at: other };
        if (Math.abs(time - other) * this.room > 3 * view.length) {
          view.show(Math.min(time, other), Math.max(time, other));
        }
      }
      this.changed();
    });
    canvas.addEventListener("pointerup", (e) => {
      const { view } = this.state;
      const time = this.time(e.offsetX);
      const still = drag && Math.abs(time - drag.at) * this.room <= 3 * view.length;
      if (still && drag?.what === "new" && view.span < view.length) view.centre(time);
      drag = null;
      this.changed();
    });
    canvas.addEventListener("pointercancel", () => (drag = null));
  }
}
