// The capture by CPU and by task, ready to be drawn and asked.
import { type Capture, type Lane, type Spans } from "./decode";
import { Peaks, Pyramid, cumulated } from "./pyramid";

/** Intervals one behind the other, with the sums of their lengths. */
export interface Run {
  start: Float64Array;
  end: Float64Array;
  sums: Float64Array;
}

export interface CpuRun extends Run {
  lane: Lane;
  /** Of these slices only, from 0. */
  task: Uint32Array;
  pyramid: Pyramid;
  hard: Run & { spans: Spans };
  soft: Run & { spans: Spans };
  gapEnds: Float64Array;
  /** Of `lane.crowd`. */
  peaks: Peaks;
}

/** A task's slices, by time, wherever they ran. */
export interface TaskRun {
  task: number;
  /** Indices of `Capture.slices`. */
  slices: Uint32Array;
  start: Float64Array;
  end: Float64Array;
  /** When it became runnable; its start where nobody knows. */
  ready: Float64Array;
  ran: Float64Array;
  waited: Float64Array;
  /** Time on CPUs, of the whole capture. */
  total: number;
  /** Runnable since then and at the end; NaN: it was not. */
  unserved: number;
  /** When it began, took another program, ended. */
  lives: Float64Array;
}

export interface Runs {
  cpus: CpuRun[];
  /** The busiest first. */
  tasks: TaskRun[];
  /** Tasks that wait for one CPU, at most; 1 at least. */
  crowd: number;
}

export function arrange(capture: Capture): Runs {
  const cpus = capture.lanes.map((lane) => cpuRun(capture, lane));
  const crowd = cpus.reduce((most, run) => Math.max(most, run.peaks.most(0, run.lane.crowd.at.length)), 1);
  return { cpus, tasks: taskRuns(capture), crowd };
}

function cpuRun(capture: Capture, lane: Lane): CpuRun {
  const { first, last } = lane;
  const { slices } = capture;
  const start = slices.start.subarray(first, last);
  const end = slices.end.subarray(first, last);
  const task = slices.task.subarray(first, last);
  const of = (spans: Spans): Run & { spans: Spans } => {
    const { start, end } = spans;
    return { start, end, sums: cumulated(start, end), spans };
  };
  return {
    lane,
    start,
    end,
    sums: cumulated(start, end),
    task,
    pyramid: new Pyramid(start, end, task, capture.head.tasks.length),
    hard: of(lane.hardirqs),
    soft: of(lane.softirqs),
    gapEnds: Float64Array.from(lane.gaps, (gap) => gap.end),
    peaks: new Peaks(lane.crowd.waiting),
  };
}

/** Slices of all CPUs by their begin. */
export function merged(capture: Capture): Uint32Array {
  const { start, count } = capture.slices;
  const order = new Uint32Array(count);
  const at = capture.lanes.map((lane) => lane.first);
  const head = (lane: number): number => {
    const i = at[lane] as number;
    return i < (capture.lanes[lane] as Lane).last ? (start[i] as number) : Infinity;
  };
  for (let n = 0; n < count; ) {
    let best = 0;
    let [earliest, others] = [Infinity, Infinity];
    for (let lane = 0; lane < at.length; lane++) {
      const time = head(lane);
      if (time < earliest) [others, earliest, best] = [earliest, time, lane];
      else if (time < others) others = time;
    }
    // One CPU's slices often come in a row.
    do order[n++] = (at[best] as number)++;
    while (head(best) <= others && head(best) < Infinity);
  }
  return order;
}

function taskRuns(capture: Capture): TaskRun[] {
  const { slices, head } = capture;
  const tasks = head.tasks.length;
  const offsets = new Uint32Array(tasks + 1);
  for (let i = 0; i < slices.count; i++) (offsets[(slices.task[i] as number) + 1] as number)++;
  for (let task = 0; task < tasks; task++) {
    offsets[task + 1] = (offsets[task + 1] as number) + (offsets[task] as number);
  }
  const sorted = new Uint32Array(slices.count);
  const next = offsets.slice(0, tasks);
  for (const slice of merged(capture)) {
    const task = slices.task[slice] as number;
    sorted[(next[task] as number)++] = slice;
  }
  const late = new Map(capture.unserved.map((one) => [one.task, one.since]));
  const lives = livesOf(capture);
  const runs: TaskRun[] = [];
  for (let task = 0; task < tasks; task++) {
    const own = sorted.subarray(offsets[task], offsets[task + 1]);
    const unserved = late.get(task) ?? NaN;
    if (own.length > 0 || unserved === unserved) runs.push(taskRun(capture, task, own, unserved, lives.get(task) ?? []));
  }
  return runs.sort((a, b) => b.total - a.total || a.task - b.task);
}

function livesOf(capture: Capture): Map<number, number[]> {
  const lives = new Map<number, number[]>();
  for (const lane of capture.lanes) {
    lane.lives.task.forEach((task, i) => {
      const own = lives.get(task) ?? [];
      if (own.length === 0) lives.set(task, own);
      own.push(lane.lives.at[i] as number);
    });
  }
  return lives;
}

function taskRun(
  capture: Capture, task: number, slices: Uint32Array, unserved: number, lives: number[],
): TaskRun {
  const { start: starts, end: ends, wait } = capture.slices;
  const count = slices.length;
  const start = new Float64Array(count);
  const end = new Float64Array(count);
  const ready = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const slice = slices[i] as number;
    start[i] = starts[slice] as number;
    end[i] = ends[slice] as number;
    ready[i] = (starts[slice] as number) - (wait[slice] as number);
  }
  const ran = cumulated(start, end);
  const waited = cumulated(ready, start);
  return { task, slices, start, end, ready, ran, waited, total: ran[count] as number, unserved, lives: Float64Array.from(lives).sort() };
}
