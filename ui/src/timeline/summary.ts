// Who ran and who waited, in a stretch of time.
import { waits, type Capture } from "./decode";
import { atOrAfter } from "./pyramid";
import type { CpuRun, Run, Runs, TaskRun } from "./lanes";

export interface TaskSum {
  task: number;
  ran: number;
  /** Slices that are at least partly inside. */
  slices: number;
  /** Of these, ended while the task could run on (R+ and R), but for sched_yield. */
  preempted: number;
  waited: number;
  longestWait: number;
}

export interface Summary {
  from: number;
  to: number;
  tasks: TaskSum[];
  /** Share of each CPU's time that a task had. */
  busy: { cpu: number; share: number }[];
  hard: number;
  soft: number;
}

function inside(start: number, end: number, from: number, to: number): number {
  return Math.max(0, Math.min(end, to) - Math.max(start, from));
}

/** Time of intervals that do not overlap, within `from` to `to`. */
export function covered(run: Run, from: number, to: number): number {
  const { start, end, sums } = run;
  const first = atOrAfter(end, from, 0, end.length);
  const last = atOrAfter(start, to, first, start.length);
  if (first >= last) return 0;
  const before = Math.max(0, from - (start[first] as number));
  const behind = Math.max(0, (end[last - 1] as number) - to);
  return (sums[last] as number) - (sums[first] as number) - before - behind;
}

export function summarise(capture: Capture, runs: Runs, from: number, to: number): Summary {
  const tasks = runs.tasks.map((run) => taskSum(capture, run, from, to));
  const length = Math.max(1, to - from);
  const spans = (of: (run: CpuRun) => Run): number =>
    runs.cpus.reduce((sum, run) => sum + covered(of(run), from, to), 0);
  return {
    from,
    to,
    tasks: tasks.filter((sum) => sum.slices > 0 || sum.waited > 0),
    busy: runs.cpus.map((run) => ({ cpu: run.lane.cpu, share: covered(run, from, to) / length })),
    hard: spans((run) => run.hard),
    soft: spans((run) => run.soft),
  };
}

function taskSum(capture: Capture, run: TaskRun, from: number, to: number): TaskSum {
  const sum: TaskSum = { task: run.task, ran: 0, slices: 0, preempted: 0, waited: 0, longestWait: 0 };
  const { start, end, ready, slices } = run;
  const { how } = capture.slices;
  const wait = (since: number, until: number): void => {
    sum.waited += inside(since, until, from, to);
    // A wait counts whole, also where it began before.
    sum.longestWait = Math.max(sum.longestWait, until - since);
  };
  for (let i = atOrAfter(end, from, 0, end.length); i < start.length; i++) {
    const [since, begin, until] = [ready[i] as number, start[i] as number, end[i] as number];
    if (since >= to) break;
    const ended = how[slices[i] as number] as number;
    if (waits(ended) && begin > from) wait(since, begin);
    if (begin >= to) break;
    sum.slices++;
    sum.ran += inside(begin, until, from, to);
    // Kernels that preempt by their tick take the CPU on the way to user space (R).
    const taken = (ended & 7) === 1 || (ended & 7) === 2;
    if (taken && until <= to) sum.preempted++;
  }
  if (run.unserved < to) wait(run.unserved, Math.max(run.unserved, capture.head.length_ns));
  return sum;
}
