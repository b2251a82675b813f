// Wake-ups: from who woke, when, to who ran then. Only where few are seen.
import { woken } from "./decode";
import { atOrAfter } from "./pyramid";
import { TASK_BAR, type Row, type Strip } from "./rows";
import type { State } from "./state";

/** More than these, per lane, would cover what they explain. */
const MOST = 45;

interface Arrow {
  from: Row;
  to: Row;
  woke: number;
  ran: number;
  strong: boolean;
}

export function drawArrows(
  context: CanvasRenderingContext2D, state: State, topOf: (row: Row) => number, left: number,
): void {
  const all = arrows(state);
  for (const arrow of all) {
    const { css } = state.palette;
    const x = left + state.view.x(arrow.woke);
    const end = left + state.view.x(arrow.ran);
    context.globalAlpha = arrow.strong ? 1 : 0.7;
    context.strokeStyle = context.fillStyle = arrow.strong ? css.link : css.ink;
    context.lineWidth = arrow.strong ? 1.75 : 1;
    const [from, to] = [topOf(arrow.from), topOf(arrow.to)];
    if (arrow.to.kind === "cpu") overBar(context, x, from, end, to, state.strips[0] as Strip);
    else alongWait(context, x, from, end, to);
  }
  context.globalAlpha = 1;
  context.lineWidth = 1;
}

function dot(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath();
  context.arc(x, y, 2, 0, 7);
  context.fill();
}

/** Between CPUs: along the edge of the bar, where no names stand, and into it. */
function overBar(
  context: CanvasRenderingContext2D, x: number, from: number, end: number, to: number, bar: Strip,
): void {
  const begin = to > from ? from + bar.top + bar.height : from + bar.top;
  const [over, into] = [to + 1.5, to + bar.top];
  dot(context, x, begin);
  context.beginPath();
  context.moveTo(x, begin);
  context.lineTo(x, over);
  context.lineTo(end, over);
  context.lineTo(end, into);
  context.stroke();
  context.beginPath();
  context.moveTo(end, into + 1.5);
  context.lineTo(end - 3, into - 2.5);
  context.lineTo(end + 3, into - 2.5);
  context.fill();
}

/** Between tasks: down (or up) when it was woken, then along its wait. */
function alongWait(
  context: CanvasRenderingContext2D, x: number, from: number, end: number, to: number,
): void {
  const middle = TASK_BAR.top + TASK_BAR.height / 2;
  const [begin, y] = [from + middle, to + middle];
  dot(context, x, begin);
  context.beginPath();
  context.moveTo(x, begin);
  context.lineTo(x, y);
  context.lineTo(end, y);
  context.stroke();
  context.beginPath();
  context.moveTo(end + 1, y);
  context.lineTo(end - 5, y - 3.5);
  context.lineTo(end - 5, y + 3.5);
  context.fill();
}

function arrows(state: State): Arrow[] {
  const { runs, view, capture } = state;
  const marked = [state.hover, state.chosen].map((hit) => (hit?.kind === "slice" ? hit.slice : -1));
  const rows = lanes(state);
  const all: Arrow[] = [];
  for (const run of runs.cpus) {
    const { first, last } = run.lane;
    const from = atOrAfter(run.end, view.from, 0, run.end.length);
    const to = atOrAfter(run.start, view.to, from, run.start.length);
    const seen = to - from <= MOST ? range(first + from, first + to) : marked;
    for (const slice of seen) {
      if (slice < first || slice >= last || !woken(capture.slices.how[slice] as number)) continue;
      all.push(...ofSlice(state, rows, run.lane.cpu, slice, marked.includes(slice)));
    }
  }
  return all;
}

/** Rows by CPU and by task. */
function lanes(state: State): { cpus: Map<number, Row>; tasks: Map<number, Row> } {
  const { runs } = state;
  const cpus = new Map<number, Row>();
  const tasks = new Map<number, Row>();
  for (const row of state.rows) {
    if (row.kind === "cpu") cpus.set(runs.cpus[row.index]?.lane.cpu ?? -1, row);
    if (row.kind === "task") tasks.set(runs.tasks[row.index]?.task ?? -1, row);
  }
  return { cpus, tasks };
}

/** From CPU to CPU, and from task to task. */
function ofSlice(
  state: State, rows: ReturnType<typeof lanes>, cpu: number, slice: number, strong: boolean,
): Arrow[] {
  const { start, wait, task, waker, wakerCpu } = state.capture.slices;
  const { found } = state;
  const own = task[slice] as number;
  // An interrupt is nobody's doing.
  const code = waker[slice] as number;
  const by = code & 1 ? -1 : (code >> 1) - 1;
  if (found.taskCount > 0 && !found.tasks[own] && !found.tasks[by]) return [];
  const ran = start[slice] as number;
  const woke = ran - (wait[slice] as number);
  const ends: [Row | undefined, Row | undefined][] = [
    [rows.cpus.get(wakerCpu[slice] as number), rows.cpus.get(cpu)],
    [rows.tasks.get(by), rows.tasks.get(own)],
  ];
  const all: Arrow[] = [];
  for (const [from, to] of ends) if (from && to) all.push({ from, to, woke, ran, strong });
  return all;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first }, (_, i) => first + i);
}
