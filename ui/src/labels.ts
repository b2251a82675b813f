// Labels of vertical marks and of line ends, placed so that they do not overlap.
import type { Mark, Region } from "./data";

export const FONT_PX = 11;
export const FONT = `${FONT_PX}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`;
export const ROW_PX = 14;

const ruler = document.createElement("canvas").getContext("2d");

export function textWidth(text: string): number {
  if (!ruler) return text.length * 6;
  ruler.font = FONT;
  return ruler.measureText(text).width;
}

export interface PlacedMark {
  mark: Mark;
  row: number;
  leftward: boolean;
}

/** References in the upper rows, measured marks under them. */
export function placeMarks(
  marks: Mark[],
  px: (x: number) => number,
  left: number,
  right: number,
): PlacedMark[] {
  const placed: PlacedMark[] = [];
  const taken: [number, number][][] = [];
  for (const role of ["reference", "knee"] as const) {
    const first = taken.length;
    for (const mark of marks.filter((m) => m.role === role)) {
      const at = px(mark.x);
      if (at < left - 0.5 || at > right + 0.5) continue;
      const width = textWidth(mark.label) + 8;
      const leftward = at + width > right;
      const span: [number, number] = leftward ? [at - width, at] : [at, at + width];
      const free = (row: [number, number][]) =>
        row.every(([from, to]) => to <= span[0] || from >= span[1]);
      let row = first;
      while (row < taken.length && !free(taken[row] ?? [])) row++;
      (taken[row] ??= []).push(span);
      placed.push({ mark, row, leftward });
    }
  }
  return placed;
}

export interface PlacedName {
  name: string;
  middle: number;
  row: number;
}

/** Names over the middles of their regions, in as many rows as keep them apart. */
export function placeNames(
  regions: Region[],
  px: (x: number) => number,
  left: number,
  right: number,
): PlacedName[] {
  const ends: number[] = [];
  const hold = (x: number) => Math.min(right, Math.max(left, px(x)));
  return regions.flatMap(([from, to, name]) => {
    // A zoomed axis leaves regions outside.
    if (px(to) <= left || px(from) >= right) return [];
    const half = textWidth(name) / 2 + 3;
    const wanted = (hold(from) + hold(to)) / 2;
    const middle = Math.max(left + half, Math.min(right - half, wanted));
    let row = ends.findIndex((end) => end <= middle - half);
    if (row < 0) row = ends.length;
    ends[row] = middle + half;
    return [{ name, middle, row }];
  });
}

/** Positions at least `gap` apart inside [top, bottom], in the order wanted. */
export function spread(wanted: number[], gap: number, top: number, bottom: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const needed = gap * Math.max(0, wanted.length - 1);
  const step = needed > bottom - top && needed > 0 ? (gap * (bottom - top)) / needed : gap;
  const placed = [...wanted];
  let floor = top;
  for (const i of order) {
    placed[i] = Math.max(placed[i] ?? 0, floor);
    floor = (placed[i] ?? 0) + step;
  }
  let ceiling = bottom;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i] ?? 0, ceiling);
    ceiling = (placed[i] ?? 0) - step;
  }
  return placed;
}
