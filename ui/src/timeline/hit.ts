// What lies under the pointer, and what there is to say about it.
import { begunBefore, waits, woken, type Capture, type Gap, type Spans } from "./decode";
import { atOrAfter } from "./pyramid";
import type { CpuRun, Runs, TaskRun } from "./lanes";
import { duration, moment } from "./view";

export type Hit =
  | { kind: "slice"; cpu: number; slice: number; start: number; end: number }
  | { kind: "span"; cpu: number; name: number; start: number; end: number }
  | { kind: "moment"; cpu: number; name: number; start: number; end: number; more: number }
  | { kind: "life"; cpu: number; life: number; start: number; end: number }
  | { kind: "crowd"; cpu: number; waiting: number; start: number; end: number }
  | { kind: "wait"; task: number; start: number; end: number; slice: number }
  | { kind: "gap"; cpu: number; gap: Gap; start: number; end: number }
  | { kind: "idle"; cpu: number; start: number; end: number };

/** A slice of the CPU within `reach` ns of `time`, else a gap, else idle time. */
export function onCpu(run: CpuRun, cpu: number, time: number, reach: number): Hit {
  const { start, end, lane } = run;
  const i = nearest(start, end, time, reach);
  if (i >= 0) {
    return { kind: "slice", cpu, slice: lane.first + i, start: start[i] as number, end: end[i] as number };
  }
  const gap = lane.gaps.find((g) => time >= g.start - reach && time <= g.end + reach);
  if (gap) return { kind: "gap", cpu, gap, start: gap.start, end: gap.end };
  const next = atOrAfter(start, time, 0, start.length);
  return { kind: "idle", cpu, start: next > 0 ? (end[next - 1] as number) : 0, end: start[next] ?? NaN };
}

/** The interval at `time`; else the one whose edge is nearest, within `reach`. */
function nearest(start: Float64Array, end: Float64Array, time: number, reach: number): number {
  const i = atOrAfter(end, time, 0, end.length);
  if (i < start.length && (start[i] as number) <= time) return i;
  const after = i < start.length ? (start[i] as number) - time : Infinity;
  const before = i > 0 ? time - (end[i - 1] as number) : Infinity;
  if (Math.min(after, before) > reach) return -1;
  return after <= before ? i : i - 1;
}

/** The innermost interrupt at `time`. */
export function onSpans(spans: Spans, cpu: number, time: number, reach: number): Hit | null {
  const { start, end, name } = spans;
  const last = atOrAfter(start, time + reach, 0, start.length) - 1;
  for (let i = last; i >= 0 && i > last - 8; i--) {
    if ((end[i] as number) + reach < time) continue;
    return { kind: "span", cpu, name: name[i] as number, start: start[i] as number, end: end[i] as number };
  }
  return null;
}

export function onMoments(run: CpuRun, cpu: number, time: number, reach: number): Hit | null {
  const { at, name } = run.lane.moments;
  const first = atOrAfter(at, time - reach, 0, at.length);
  const last = atOrAfter(at, time + reach, first, at.length);
  if (first >= last) return null;
  let best = Math.min(atOrAfter(at, time, first, last), last - 1);
  if (best > first && time - (at[best - 1] as number) < (at[best] as number) - time) best--;
  const when = at[best] as number;
  return { kind: "moment", cpu, name: name[best] as number, start: when, end: when, more: last - first - 1 };
}

/** A task that begins, takes another program, ends. */
export function onLives(run: CpuRun, cpu: number, time: number, reach: number): Hit | null {
  const { at } = run.lane.lives;
  const first = atOrAfter(at, time - reach, 0, at.length);
  const when = at[first];
  return when !== undefined && when <= time + reach ? { kind: "life", cpu, life: first, start: when, end: when } : null;
}

/** How many wait for the CPU at `time`. */
export function onCrowd(run: CpuRun, cpu: number, time: number, length: number): Hit | null {
  const { at, waiting } = run.lane.crowd;
  const next = atOrAfter(at, time + 1, 0, at.length);
  if (time < 0 || time > length) return null;
  const start = next > 0 ? (at[next - 1] as number) : 0;
  return { kind: "crowd", cpu, waiting: next > 0 ? (waiting[next - 1] as number) : 0, start, end: at[next] ?? length };
}

export function onTask(capture: Capture, runs: Runs, run: TaskRun, time: number, reach: number): Hit | null {
  const i = nearest(run.ready, run.end, time, reach);
  if (i < 0) return null;
  const slice = run.slices[i] as number;
  const [ready, start] = [run.ready[i] as number, run.start[i] as number];
  if (time < start - reach && ready < start) return { kind: "wait", task: run.task, slice, start: ready, end: start };
  return { kind: "slice", cpu: cpuOf(runs, slice), slice, start, end: capture.slices.end[slice] as number };
}

/** Index of `Runs.cpus` of a slice. */
export function cpuOf(runs: Runs, slice: number): number {
  return runs.cpus.findIndex((run) => slice >= run.lane.first && slice < run.lane.last);
}

const ENDS = [
  "goes on where nothing is known",
  "preempted in the kernel (R+)",
  "taken off the CPU, still runnable (R)",
  "went to sleep (S)",
  "blocked (D)",
  "stopped or parked",
  "exited",
  "gave the CPU away (sched_yield)",
];

export function called(capture: Capture, task: number): string {
  const [pid, name] = capture.head.tasks[task] ?? [0, "?"];
  return `${name} ${pid}`;
}

/** What to show; the first is the heading. */
export function describe(capture: Capture, runs: Runs, hit: Hit): string[] {
  const at = `from ${moment(hit.start)}`;
  const lasts = duration(hit.end - hit.start);
  const cpu = (index: number): string => `CPU ${runs.cpus[index]?.lane.cpu ?? "?"}`;
  switch (hit.kind) {
    case "slice":
      return [...slice(capture, hit.slice, cpu(hit.cpu)), ...meanwhile(runs, hit)];
    case "span":
      return [capture.head.names[hit.name] ?? "?", `${cpu(hit.cpu)} · ${lasts}`, at];
    case "moment": {
      const more = hit.more > 0 ? [`and ${hit.more} more here: zoom in`] : [];
      return [capture.head.names[hit.name] ?? "?", `${cpu(hit.cpu)} at ${moment(hit.start)}`, ...more];
    }
    case "life":
      return life(capture, runs, hit);
    case "crowd":
      return [hit.waiting === 0 ? "nobody waits" : tasks(hit.waiting), `${cpu(hit.cpu)} · ${lasts}`, at];
    case "wait":
      return [called(capture, hit.task), `waited ${lasts} for a CPU`, at, ...cause(capture, hit.slice)];
    case "gap": {
      return [missing(hit.gap.lost), `${cpu(hit.cpu)} · ${lasts}`, at];
    }
    case "idle":
      return [`${cpu(hit.cpu)} idle`, hit.end === hit.end ? lasts : "to the end", at, ...depths(runs, hit)];
  }
}

function missing(lost: number): string {
  if (lost === 0) return "a switch is not in the trace, though nothing was lost";
  return lost > 0 ? `${lost} events lost` : "events lost, nobody counted";
}

function tasks(count: number): string {
  return count === 1 ? "1 task waits" : `${count} tasks wait`;
}

/** How long the queue was while a slice went on. */
function meanwhile(runs: Runs, { cpu, start, end }: { cpu: number; start: number; end: number }): string[] {
  const run = runs.cpus[cpu];
  if (!run) return [];
  const { at, waiting } = run.lane.crowd;
  const first = atOrAfter(at, start + 1, 0, at.length);
  const held = first > 0 ? (waiting[first - 1] as number) : 0;
  const most = Math.max(held, run.peaks.most(first, atOrAfter(at, end, first, at.length)));
  return most > 0 ? [`meanwhile ${tasks(most)}${most > held ? " at most" : ""}`] : [];
}

const LIVES = ["begins", "takes another program", "exits"];

function life(capture: Capture, runs: Runs, hit: { cpu: number; life: number; start: number }): string[] {
  const lane = runs.cpus[hit.cpu]?.lane;
  if (!lane) return [];
  const { kind, task, name } = lane.lives;
  const file = capture.head.names[name[hit.life] as number];
  const what = LIVES[kind[hit.life] as number] ?? "?";
  const heading = `${called(capture, task[hit.life] as number)} ${what}`;
  return [heading, ...(file === undefined ? [] : [file]), `CPU ${lane.cpu} at ${moment(hit.start)}`];
}

/** More stays are counted, not summed up. */
const STAYS = 2000;

/** Time in each idle state while a CPU was idle. */
function depths(runs: Runs, { cpu, start, end }: { cpu: number; start: number; end: number }): string[] {
  const idle = runs.cpus[cpu]?.lane.idle;
  if (!idle) return [];
  const until = end === end ? end : Infinity;
  const sums = new Map<number, number>();
  const first = atOrAfter(idle.end, start, 0, idle.end.length);
  for (let i = first; i < Math.min(first + STAYS, idle.start.length) && (idle.start[i] as number) < until; i++) {
    const state = idle.state[i] as number;
    const stay = Math.min(idle.end[i] as number, until) - Math.max(idle.start[i] as number, start);
    sums.set(state, (sums.get(state) ?? 0) + stay);
  }
  const states = [...sums].sort(([a], [b]) => a - b);
  return states.map(([state, time]) => `idle state ${state}: ${duration(time)}`);
}

function slice(capture: Capture, slice: number, cpu: string): string[] {
  const { start, end, task, how, wait } = capture.slices;
  const [from, to] = [start[slice] as number, end[slice] as number];
  const flags = how[slice] as number;
  const lines = [called(capture, task[slice] as number)];
  const more = begunBefore(flags) || (flags & 7) === 0 ? "at least " : "";
  lines.push(`${cpu} · ran ${more}${duration(to - from)}`, `from ${moment(from)}`);
  if (waits(flags)) {
    const [why, ...rest] = cause(capture, slice);
    lines.push(`waited ${duration(wait[slice] as number)}, ${why}`, ...rest);
  }
  if (begunBefore(flags)) lines.push("began before it could be seen");
  lines.push(ENDS[flags & 7] ?? "?");
  const [, , ...before] = capture.head.tasks[task[slice] as number] ?? [0, ""];
  if (before.length > 0) lines.push(`called ${before.join(", ")} before`);
  return lines;
}

function cause(capture: Capture, slice: number): string[] {
  const { how, waker, wakerCpu } = capture.slices;
  if (!woken(how[slice] as number)) return ["since it was put off a CPU"];
  const code = waker[slice] as number;
  const task = (code >> 1) - 1;
  const who = task < 0 ? "idle" : called(capture, task);
  const on = `on CPU ${wakerCpu[slice]}`;
  return [code & 1 ? `woken by an interrupt ${on} (over ${who})` : `woken by ${who} ${on}`];
}
