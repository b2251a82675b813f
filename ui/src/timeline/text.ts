// Words in the canvas: never wider than their place.
import type { CpuRun } from "./lanes";
import { walk } from "./raster";
import type { State } from "./state";
import { duration } from "./view";

export function font(size: number): string {
  return `${size}px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif`;
}

const widths = new Map<string, number>();

function width(context: CanvasRenderingContext2D, text: string): number {
  const key = `${context.font}|${text}`;
  let known = widths.get(key);
  if (known === undefined) {
    if (widths.size > 20_000) widths.clear();
    widths.set(key, (known = context.measureText(text).width));
  }
  return known;
}

/** The text, or as much of it as has room, ended by `…`; empty: none has. */
export function clipped(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (width(context, text) <= room) return text;
  for (let length = text.length - 1; length > 0; length--) {
    const part = `${text.slice(0, length)}…`;
    if (width(context, part) <= room) return length > 1 ? part : "";
  }
  return "";
}

/** Nothing narrower has words. */
const LEAST = 26;

/** Names of tasks in their slices, with the length where there is room. */
export function barLabels(
  context: CanvasRenderingContext2D, state: State, run: CpuRun, left: number, top: number, height: number,
): void {
  const { view, palette, found, capture } = state;
  const nsPerColumn = view.nsPerPixel * LEAST;
  const scale = { from: view.from, nsPerColumn, columns: Math.ceil(view.width / LEAST) };
  context.font = font(11);
  context.textBaseline = "middle";
  const label = (i: number): void => {
    const start = Math.max(0, view.x(run.start[i] as number));
    const end = Math.min(view.width, view.x(run.end[i] as number));
    const task = run.task[i] as number;
    const room = end - start - 8;
    if (room < LEAST - 8) return;
    const name = capture.head.tasks[task]?.[1] ?? "";
    const long = `${name}  ${duration((run.end[i] as number) - (run.start[i] as number))}`;
    const text = width(context, long) <= room ? long : clipped(context, name, room);
    const shown = found.all || found.tasks[task] === 1;
    context.fillStyle = shown ? (palette.tasks[task]?.ink ?? "#000") : palette.css.ink;
    context.fillText(text, left + start + 4, top + height / 2 + 0.5);
  };
  walk(run.start, run.end, scale, label, () => {});
}
