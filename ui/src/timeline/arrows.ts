// Wake-ups: from who woke, when, to who ran then. Only where few are seen.
import { woken } from "./decode";
import { atOrAfter } from "./pyramid";
import type { Row } from "./rows";
import type { State } from "./state";

/** More than these would cover what they explain. */
const MOST = 150;

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
  if (all.length > MOST) all.splice(0, all.length, ...all.filter((arrow) => arrow.strong));
  const middle = (row: Row): number => topOf(row) + (row.kind === "cpu" ? 14 : row.height / 2);
  for (const arrow of all) {
    const { css } = state.palette;
    const x = left + state.view.x(arrow.woke);
    const end = left + state.view.x(arrow.ran);
    const [from, to] = [middle(arrow.from), middle(arrow.to)];
    context.globalAlpha = arrow.strong ? 1 : 0.7;
    context.strokeStyle = context.fillStyle = arrow.strong ? css.link : css.ink;
    context.lineWidth = arrow.strong ? 1.75 : 1;
    line(context, x, from, end, to);
    head(context, end, to);
  }
  context.globalAlpha = 1;
  context.lineWidth = 1;
}

/** Down (or up) when it was woken, then along its wait. */
function line(context: CanvasRenderingContext2D, x: number, from: number, end: number, to: number): void {
  context.beginPath();
  context.arc(x, from, 2, 0, 7);
  context.fill();
  context.beginPath();
  context.moveTo(x, from);
  // On one lane it goes over the bar.
  const over = from === to ? from - 12 : to;
  context.lineTo(x, over);
  context.lineTo(end, over);
  if (from === to) context.lineTo(end, to);
  context.stroke();
}

function head(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath();
  context.moveTo(x + 1, y);
  context.lineTo(x - 5, y - 3.5);
  context.lineTo(x - 5, y + 3.5);
  context.fill();
}

function arrows(state: State): Arrow[] {
  const { runs, view, capture, found } = state;
  const { how, waker, wakerCpu, task, wait } = capture.slices;
  const rows = new Map(state.rows.filter((r) => r.kind === "cpu").map((r) => [runs.cpus[r.index]?.lane.cpu, r]));
  const marked = [state.hover, state.chosen].map((hit) => (hit?.kind === "slice" ? hit.slice : -1));
  const all: Arrow[] = [];
  for (const run of runs.cpus) {
    const to = rows.get(run.lane.cpu);
    const first = atOrAfter(run.end, view.from, 0, run.end.length);
    const last = atOrAfter(run.start, view.to, first, run.start.length);
    const few = last - first <= MOST * 2;
    const seen = few ? range(first, last) : marked.map((slice) => slice - run.lane.first);
    for (const i of seen) {
      const slice = run.lane.first + i;
      if (i < 0 || i >= run.start.length || !woken(how[slice] as number)) continue;
      const from = rows.get(wakerCpu[slice] as number);
      const by = (waker[slice] as number) >> 1;
      const wanted = found.taskCount === 0 || found.tasks[task[slice] as number] || (by > 0 && found.tasks[by - 1]);
      if (!from || !to || !wanted) continue;
      const ran = run.start[i] as number;
      all.push({ from, to, ran, woke: ran - (wait[slice] as number), strong: marked.includes(slice) });
    }
  }
  return all;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first }, (_, i) => first + i);
}
