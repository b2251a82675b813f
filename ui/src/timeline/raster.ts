// Bars drawn straight into pixels: what a frame costs is bounded by the pixels
// of the lanes, whatever the number of slices.
import { gallop, atOrAfter } from "./pyramid";
import type { CpuRun, Run, TaskRun } from "./lanes";
import type { Packed } from "./palette";

/** Device pixels of a stretch of time. */
export class Raster {
  private image: ImageData;
  private pixels: Uint32Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.image = new ImageData(Math.max(1, width), Math.max(1, height));
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  clear(colour: Packed): void {
    this.pixels.fill(colour);
  }

  show(on: CanvasRenderingContext2D, x: number, y: number): void {
    on.putImageData(this.image, x, y);
  }

  /** From pixel `left` to before `right`; whatever lies outside is cut off. */
  rect(left: number, top: number, right: number, bottom: number, colour: Packed): void {
    const from = Math.max(0, left);
    const to = Math.min(this.width, right);
    if (from >= to) return;
    const last = Math.min(this.height, bottom);
    for (let y = Math.max(0, top); y < last; y++) {
      this.pixels.fill(colour, y * this.width + from, y * this.width + to);
    }
  }

  /** One column of pixels. */
  column(x: number, top: number, bottom: number, colour: Packed): void {
    if (x < 0 || x >= this.width) return;
    const last = Math.min(this.height, bottom);
    for (let y = Math.max(0, top); y < last; y++) this.pixels[y * this.width + x] = colour;
  }
}

/** Which stretch of time the columns stand for. */
export interface Scale {
  /** Of column 0; a whole number of columns from the capture's begin. */
  from: number;
  nsPerColumn: number;
  columns: number;
}

/** One interval that is at least a column wide: draw it as it is. */
type Wide = (index: number) => void;
/** Several that share a column: `first` to before `last`. */
type Narrow = (column: number, first: number, last: number) => void;

/**
 * Walks what is seen of intervals in order. The narrow ones of a column come
 * as one, found by halving: the steps are bounded by the columns.
 */
export function walk(
  begin: Float64Array, end: Float64Array, scale: Scale, wide: Wide, narrow: Narrow,
): void {
  const { from, nsPerColumn, columns } = scale;
  const count = begin.length;
  const until = from + columns * nsPerColumn;
  // Intervals do not overlap, so that ends are in order too.
  let i = atOrAfter(end, from, 0, count);
  while (i < count && (begin[i] as number) < until) {
    const start = begin[i] as number;
    if ((end[i] as number) - start >= nsPerColumn) {
      wide(i++);
      continue;
    }
    const column = Math.floor((start - from) / nsPerColumn);
    let next = gallop(begin, from + (column + 1) * nsPerColumn, i + 1, count);
    // Only the last of a column can be wide: the next one begins behind it.
    const last = next - 1;
    if (last > i && (end[last] as number) - (begin[last] as number) >= nsPerColumn) next = last;
    narrow(column, i, next);
    i = next;
  }
}

function edge(time: number, scale: Scale): number {
  return Math.round((time - scale.from) / scale.nsPerColumn);
}

/** A share of a lane's height; what is there at all can be seen. */
function tall(share: number, height: number, least: number): number {
  return Math.max(Math.min(least, height), Math.round(Math.min(1, share) * height));
}

/** What a bar looks like, in device pixels. */
export interface Bar {
  top: number;
  height: number;
  /** What can be seen of the least of times. */
  least: number;
}

/** A CPU: columns have the colour of who ran longest, and the height of its load. */
export function paintCpu(
  raster: Raster, run: CpuRun, scale: Scale, bar: Bar, colour: (task: number) => Packed, page: Packed,
): void {
  const bottom = bar.top + bar.height;
  const wide = (i: number): void => {
    const left = edge(run.start[i] as number, scale);
    const right = Math.max(left + 1, edge(run.end[i] as number, scale));
    raster.rect(left, bar.top, right, bottom, colour(run.task[i] as number));
    if (right - left > 4 * bar.least) raster.column(right - 1, bar.top, bottom, page);
  };
  const narrow = (x: number, first: number, last: number): void => {
    const ran = (run.sums[last] as number) - (run.sums[first] as number);
    const height = tall(ran / scale.nsPerColumn, bar.height, bar.least);
    raster.column(x, bottom - height, bottom, colour(run.pyramid.dominant(first, last)));
  };
  walk(run.start, run.end, scale, wide, narrow);
}

/** A task: what it ran from below, what it waited above. */
export function paintTask(
  raster: Raster, run: TaskRun, scale: Scale, bar: Bar, colour: Packed, wait: Packed, length: number,
): void {
  const bottom = bar.top + bar.height;
  const waitTop = bar.top + Math.round(bar.height * 0.35);
  const waitBottom = bar.top + Math.round(bar.height * 0.65);
  const wide = (i: number): void => {
    const ready = edge(run.ready[i] as number, scale);
    const left = edge(run.start[i] as number, scale);
    const right = Math.max(left + 1, edge(run.end[i] as number, scale));
    raster.rect(ready, waitTop, left, waitBottom, wait);
    raster.rect(left, bar.top, right, bottom, colour);
  };
  const narrow = (x: number, first: number, last: number): void => {
    const ran = (run.ran[last] as number) - (run.ran[first] as number);
    const waited = (run.waited[last] as number) - (run.waited[first] as number);
    const height = tall(ran / scale.nsPerColumn, bar.height, bar.least);
    const rest = bar.height - height;
    const above = waited > 0 ? Math.min(rest, tall(waited / scale.nsPerColumn, bar.height, bar.least)) : 0;
    raster.column(x, bottom - height - above, bottom - height, wait);
    raster.column(x, bottom - height, bottom, colour);
  };
  walk(run.ready, run.end, scale, wide, narrow);
  if (run.unserved === run.unserved) {
    raster.rect(edge(run.unserved, scale), waitTop, edge(length, scale), waitBottom, wait);
  }
}

/** Interrupts: their begins are in order; one may lie inside another. */
export function paintSpans(
  raster: Raster, run: Run, scale: Scale, bar: Bar, colour: (index: number) => Packed,
): void {
  const { from, nsPerColumn, columns } = scale;
  const { start, end } = run;
  const until = from + columns * nsPerColumn;
  // One that began before may still go on; interrupts nest a few levels deep.
  let i = Math.max(0, atOrAfter(start, from, 0, start.length) - 8);
  while (i < start.length && (start[i] as number) < until) {
    const begin = start[i] as number;
    const column = Math.floor((begin - from) / nsPerColumn);
    const right = edge(end[i] as number, scale);
    raster.rect(column, bar.top, Math.max(column + 1, right), bar.top + bar.height, colour(i));
    const next = (column + 1) * nsPerColumn + from;
    // The long ones that begin later in this column end in later columns: keep them.
    i = right > column + 1 || column < 0 ? i + 1 : Math.max(i + 1, skip(start, end, i, next));
  }
}

/** The first that begins behind `next`, or that ends behind it and so is wide. */
function skip(start: Float64Array, end: Float64Array, i: number, next: number): number {
  const last = gallop(start, next, i + 1, start.length);
  const wide = last - 1;
  return wide > i && (end[wide] as number) > next ? wide : last;
}

/** A number that changes from time to time: as high as the root of the greatest of a column:
 * one task can be seen next to fifty. */
export function paintCrowd(
  raster: Raster, run: CpuRun, scale: Scale, bar: Bar, most: number, length: number, colour: Packed,
): void {
  const { at, waiting } = run.lane.crowd;
  const { from, nsPerColumn, columns } = scale;
  const bottom = bar.top + bar.height;
  let i = atOrAfter(at, from, 0, at.length);
  for (let column = 0; column < columns && i <= at.length; column++) {
    const until = from + (column + 1) * nsPerColumn;
    if (until - nsPerColumn > length) return;
    const next = gallop(at, until, i, at.length);
    const held = i > 0 ? (waiting[i - 1] as number) : 0;
    const value = Math.max(held, run.peaks.most(i, next));
    if (value > 0) {
      raster.column(column, bottom - tall(Math.sqrt(value / most), bar.height, 2 * bar.least), bottom, colour);
    }
    i = next;
  }
}

/** Moments: columns that have one. */
export function paintMoments(
  raster: Raster, at: Float64Array, scale: Scale, bar: Bar, colour: (index: number) => Packed | null,
): void {
  const { from, nsPerColumn, columns } = scale;
  const until = from + columns * nsPerColumn;
  let i = atOrAfter(at, from, 0, at.length);
  while (i < at.length && (at[i] as number) < until) {
    const column = Math.floor(((at[i] as number) - from) / nsPerColumn);
    const next = gallop(at, from + (column + 1) * nsPerColumn, i + 1, at.length);
    // A few are looked through for one that matters; then the first stands for all.
    let shown = colour(i);
    for (let k = i + 1; shown === null && k < Math.min(next, i + 64); k++) shown = colour(k);
    if (shown !== null) raster.column(column, bar.top, bar.top + bar.height, shown);
    i = next;
  }
}
