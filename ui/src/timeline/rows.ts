// What stands below what. Heights are CSS pixels.
import type { Runs } from "./lanes";

export type Group = "cpus" | "tasks";

export interface Row {
  kind: "group" | "cpu" | "task";
  group: Group;
  /** Of `Runs.cpus` or `Runs.tasks`. */
  index: number;
  top: number;
  height: number;
}

/** A bar inside a CPU's row. */
export interface Strip {
  kind: "slices" | "crowd" | "hard" | "soft" | "moments";
  top: number;
  height: number;
}

export const GROUP_HEIGHT = 24;
const TASK_HEIGHT = 20;
export const TASK_BAR = { top: 3, height: 14 };
const STRIP_TOP = 5;

/** Strips that the capture has nothing for take no room. */
export function strips(runs: Runs): Strip[] {
  const any = (has: (index: number) => number): boolean => runs.cpus.some((_, i) => has(i) > 0);
  const wanted: [Strip["kind"], number, boolean][] = [
    ["slices", 18, true],
    ["crowd", 7, any((i) => runs.cpus[i]?.lane.crowd.at.length ?? 0)],
    ["hard", 5, any((i) => runs.cpus[i]?.hard.start.length ?? 0)],
    ["soft", 5, any((i) => runs.cpus[i]?.soft.start.length ?? 0)],
    ["moments", 5, any((i) => (runs.cpus[i]?.lane.moments.at.length ?? 0) + (runs.cpus[i]?.lane.lives.at.length ?? 0))],
  ];
  const found: Strip[] = [];
  let top = STRIP_TOP;
  for (const [kind, height, there] of wanted) {
    if (!there) continue;
    found.push({ kind, top, height });
    top += height + 1;
  }
  return found;
}

/** All rows, and the height of all. */
export function layout(
  runs: Runs, inside: Strip[], closed: Set<Group>, shown: (task: number) => boolean,
): { rows: Row[]; height: number } {
  const rows: Row[] = [];
  let top = 0;
  const add = (kind: Row["kind"], group: Group, index: number, height: number): void => {
    rows.push({ kind, group, index, top, height });
    top += height;
  };
  const last = inside[inside.length - 1] as Strip;
  add("group", "cpus", 0, GROUP_HEIGHT);
  if (!closed.has("cpus")) {
    runs.cpus.forEach((_, i) => add("cpu", "cpus", i, last.top + last.height + 5));
  }
  add("group", "tasks", 0, GROUP_HEIGHT);
  if (!closed.has("tasks")) {
    runs.tasks.forEach((run, i) => {
      if (shown(run.task)) add("task", "tasks", i, TASK_HEIGHT);
    });
  }
  return { rows, height: top + 8 };
}

/** Index of the row at `y`, of those from `layout`; -1: none. */
export function rowAt(rows: Row[], y: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle] as Row;
    if (row.top + row.height <= y) low = middle + 1;
    else high = middle;
  }
  const row = rows[low];
  return row && y >= row.top ? low : -1;
}
