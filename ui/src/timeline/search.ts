// What the reader looks for: tasks by name or pid, interrupts and events by name.
import type { Capture } from "./decode";
import { atOrAfter } from "./pyramid";
import type { Runs } from "./lanes";

export interface Match {
  /** Nothing is looked for: everything matches. */
  all: boolean;
  tasks: Uint8Array;
  names: Uint8Array;
  /** How many. */
  taskCount: number;
  nameCount: number;
}

/** Words apart by commas or blanks; any of them may match. A number is a pid. */
export function match(capture: Capture, text: string): Match {
  const { tasks, names } = capture.head;
  const words = text.toLowerCase().split(/[\s,]+/).filter((word) => word !== "");
  const hit = (name: string): boolean => words.some((word) => name.toLowerCase().includes(word));
  const pid = (pid: number): boolean => words.includes(String(pid));
  const found: Match = {
    all: words.length === 0,
    tasks: Uint8Array.from(tasks, ([id, ...called]) => (pid(id) || called.some(hit) ? 1 : 0)),
    names: Uint8Array.from(names, (name) => (hit(name) ? 1 : 0)),
    taskCount: 0,
    nameCount: 0,
  };
  found.taskCount = found.tasks.reduce((sum, one) => sum + one, 0);
  found.nameCount = found.names.reduce((sum, one) => sum + one, 0);
  return found;
}

/** Where something stands. */
export interface Place {
  start: number;
  end: number;
  /** Index of `Runs.cpus`. */
  cpu: number;
  /** Of `Capture.slices`; -1: an interrupt or an event. */
  slice: number;
}

/** The next place that matches after `time`, or the last one before it. */
export function neighbour(
  runs: Runs, found: Match, time: number, forward: boolean,
): Place | null {
  let best: Place | null = null;
  const take = (start: number, end: number, cpu: number, slice: number): void => {
    const nearer = best === null || (forward ? start < best.start : start > best.start);
    if (nearer) best = { start, end, cpu, slice };
  };
  const seek = (start: Float64Array, matches: (i: number) => boolean, use: (i: number) => void): void => {
    let i = atOrAfter(start, forward ? time + 0.5 : time - 0.5, 0, start.length);
    if (!forward) i--;
    while (i >= 0 && i < start.length && !matches(i)) i += forward ? 1 : -1;
    if (i >= 0 && i < start.length) use(i);
  };
  runs.cpus.forEach((run, cpu) => {
    const { first, moments } = run.lane;
    seek(run.start, (i) => found.tasks[run.task[i] as number] === 1,
      (i) => take(run.start[i] as number, run.end[i] as number, cpu, first + i));
    if (found.nameCount === 0) return;
    for (const { start, end, spans } of [run.hard, run.soft]) {
      seek(start, (i) => found.names[spans.name[i] as number] === 1,
        (i) => take(start[i] as number, end[i] as number, cpu, -1));
    }
    seek(moments.at, (i) => found.names[moments.name[i] as number] === 1,
      (i) => take(moments.at[i] as number, moments.at[i] as number, cpu, -1));
  });
  return best;
}
