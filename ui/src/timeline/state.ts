// All that the reader can change, in one place.
import type { Capture } from "./decode";
import type { Hit } from "./hit";
import type { Runs } from "./lanes";
import type { Palette } from "./palette";
import { layout, strips, type Group, type Row, type Strip } from "./rows";
import { match, type Match } from "./search";
import type { View } from "./view";

export interface State {
  readonly capture: Capture;
  readonly runs: Runs;
  readonly view: View;
  readonly strips: Strip[];
  palette: Palette;
  found: Match;
  closed: Set<Group>;
  rows: Row[];
  /** Of all rows, and how much of them is above what is seen. */
  height: number;
  scroll: number;
  hover: Hit | null;
  chosen: Hit | null;
  /** A and B; NaN: not set. */
  marks: [number, number];
}

export function initial(capture: Capture, runs: Runs, view: View, palette: Palette): State {
  const state: State = {
    capture, runs, view, palette,
    strips: strips(runs),
    found: match(capture, ""),
    closed: new Set(),
    rows: [],
    height: 0,
    scroll: 0,
    hover: null,
    chosen: null,
    marks: [NaN, NaN],
  };
  relayout(state);
  return state;
}

/** After a change of `closed` or `found`. Tasks that are not looked for have no row. */
export function relayout(state: State): void {
  const { found } = state;
  const shown = (task: number): boolean => found.taskCount === 0 || found.tasks[task] === 1;
  const all = layout(state.runs, state.strips, state.closed, shown);
  [state.rows, state.height] = [all.rows, all.height];
}

/** From A to B in order; null: not both are set. */
export function selection(state: State): [number, number] | null {
  const [a, b] = state.marks;
  return a === a && b === b && a !== b ? [Math.min(a, b), Math.max(a, b)] : null;
}
