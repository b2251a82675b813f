// Levels of detail. A column of pixels may stand for one slice or for a hundred
// thousand; it costs the same.

/** First index in [from, to) whose value is not below `wanted`; else `to`. */
export function atOrAfter(values: Float64Array, wanted: number, from: number, to: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] as number) < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** As `atOrAfter`, quick where the answer is near `from`. */
export function gallop(values: Float64Array, wanted: number, from: number, to: number): number {
  let step = 1;
  let low = from;
  while (low + step < to && (values[low + step] as number) < wanted) {
    low += step;
    step *= 2;
  }
  return atOrAfter(values, wanted, low, Math.min(to, low + step));
}

/** Sums of lengths before each interval, and of all at the end. */
export function cumulated(start: Float64Array, end: Float64Array): Float64Array {
  const sums = new Float64Array(start.length + 1);
  for (let i = 0, sum = 0; i < start.length; i++) {
    sum += (end[i] as number) - (start[i] as number);
    sums[i + 1] = sum;
  }
  return sums;
}

const FAN = 16;
/** Nodes looked at for one answer, at most. */
const ENOUGH = 8 * FAN;

/** The greatest of any run of numbers, exactly. */
export class Peaks {
  private readonly levels: Uint32Array[];

  constructor(values: Uint32Array) {
    this.levels = [values];
    for (let level = values; level.length > FAN; ) {
      const above = new Uint32Array(Math.ceil(level.length / FAN));
      for (let i = 0; i < level.length; i++) {
        const at = Math.floor(i / FAN);
        above[at] = Math.max(above[at] as number, level[i] as number);
      }
      this.levels.push((level = above));
    }
  }

  /** Of those from `first` to before `last`; 0 for none. */
  most(first: number, last: number): number {
    let most = 0;
    const look = (level: Uint32Array, from: number, to: number): void => {
      for (let i = from; i < to; i++) most = Math.max(most, level[i] as number);
    };
    for (const level of this.levels) {
      const [inner, outer] = [Math.ceil(first / FAN), Math.floor(last / FAN)];
      if (inner >= outer) {
        look(level, first, last);
        return most;
      }
      look(level, first, inner * FAN);
      look(level, outer * FAN, last);
      [first, last] = [inner, outer];
    }
    return most;
  }
}

interface Level {
  task: Uint32Array;
  time: Float64Array;
}

/**
 * Which task has most of the time of any run of slices. Each node keeps the
 * winner of its sixteen children and the winner's time; what the losers had
 * is forgotten above them, so that from the second level up a task that wins
 * nowhere cannot win in the sum.
 */
export class Pyramid {
  private readonly levels: Level[] = [];
  /** Time of each task in the answer being worked out; zero in between. */
  private readonly sums: Float64Array;
  private readonly touched: number[] = [];

  constructor(start: Float64Array, end: Float64Array, task: Uint32Array, tasks: number) {
    this.sums = new Float64Array(tasks);
    const time = new Float64Array(start.length);
    for (let i = 0; i < time.length; i++) time[i] = (end[i] as number) - (start[i] as number);
    let level: Level = { task, time };
    this.levels.push(level);
    while (level.task.length > FAN) {
      const count = Math.ceil(level.task.length / FAN);
      const above: Level = { task: new Uint32Array(count), time: new Float64Array(count) };
      for (let i = 0; i < count; i++) {
        const winner = this.winner(level, i * FAN, Math.min((i + 1) * FAN, level.task.length));
        above.task[i] = winner;
        above.time[i] = this.sum;
      }
      this.levels.push((level = above));
    }
  }

  private sum = 0;

  /** Of the slices from `first` to before `last`; exact up to 128 of them. */
  dominant(first: number, last: number): number {
    let height = 0;
    while (last - first > ENOUGH) {
      // Nodes that are partly inside count to the side that has most of them.
      first = Math.round(first / FAN);
      last = Math.round(last / FAN);
      height++;
    }
    const level = this.levels[height] as Level;
    return this.winner(level, first, Math.min(last, level.task.length));
  }

  private winner(level: Level, first: number, last: number): number {
    const { sums, touched } = this;
    for (let i = first; i < last; i++) {
      const task = level.task[i] as number;
      const time = level.time[i] as number;
      if (sums[task] === 0) touched.push(task);
      // So that even a slice of no length is there.
      sums[task] = (sums[task] as number) + time + 1e-9;
    }
    let best = level.task[first] ?? 0;
    for (const task of touched) {
      if ((sums[task] as number) > (sums[best] as number)) best = task;
    }
    this.sum = sums[best] as number;
    for (const task of touched) sums[task] = 0;
    touched.length = 0;
    return best;
  }
}
