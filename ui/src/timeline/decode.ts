// The columns of the page (crates/trace/src/timeline/columns.rs) as typed arrays.

/** pid, name, the names before it */
export type TaskHead = [number, string, ...string[]];

export interface Head {
  title: string;
  /** The capture's begin on its own clock. */
  begin_ns: number;
  length_ns: number;
  clock: string;
  tasks: TaskHead[];
  /** Of interrupts, moments and programs. */
  names: string[];
  cpus: Counts[];
  unserved: number;
  events: number;
  lost_events: number;
}

/** Of one CPU: its number, and how many of each it has. */
export interface Counts {
  cpu: number;
  slices: number;
  hardirqs: number;
  softirqs: number;
  moments: number;
  gaps: number;
  crowd: number;
  idle: number;
  lives: number;
}

export interface Slices {
  count: number;
  start: Float64Array;
  end: Float64Array;
  task: Uint32Array;
  /** How it ended: bits 0..2; began before: bit 3; kind of wait: bits 4..5. */
  how: Uint8Array;
  /** 0 where nobody knows. */
  wait: Float64Array;
  /** -1: not woken; else twice the task plus one, 0 for idle; plus 1: by an interrupt. */
  waker: Int32Array;
  wakerCpu: Uint16Array;
}

export interface Spans {
  start: Float64Array;
  end: Float64Array;
  name: Uint32Array;
}

export interface Moments {
  at: Float64Array;
  name: Uint32Array;
}

/** So many tasks wait for the CPU from a time on, besides the one that runs. */
export interface Crowd {
  at: Float64Array;
  waiting: Uint32Array;
}

/** Stays in the CPU's idle states. */
export interface Idle {
  start: Float64Array;
  end: Float64Array;
  state: Uint32Array;
}

/** Tasks begin (0), take another program (1), end (2). */
export interface Lives {
  at: Float64Array;
  kind: Uint8Array;
  task: Uint32Array;
  /** Of the program; -1: none. */
  name: Int32Array;
}

export interface Gap {
  start: number;
  end: number;
  /** -1: nobody counted; 0: none, but a switch is missing. */
  lost: number;
}

export interface Lane {
  cpu: number;
  /** Its slices are these of `Capture.slices`. */
  first: number;
  last: number;
  hardirqs: Spans;
  softirqs: Spans;
  moments: Moments;
  gaps: Gap[];
  crowd: Crowd;
  idle: Idle;
  lives: Lives;
}

export interface Capture {
  head: Head;
  slices: Slices;
  lanes: Lane[];
  unserved: { task: number; since: number }[];
}

class Reader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  number(): number {
    const bytes = this.bytes;
    let byte = bytes[this.at++] as number;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    // Times need more than the 32 bits that shifts have.
    for (let scale = 128; byte >= 0x80; scale *= 128) {
      byte = bytes[this.at++] as number;
      if (byte === undefined) throw new Error("the columns end too early");
      value += (byte & 0x7f) * scale;
    }
    return value;
  }

  byte(): number {
    return this.bytes[this.at++] as number;
  }

  fill(into: Uint32Array | Uint16Array | Float64Array, first: number, last: number): void {
    for (let i = first; i < last; i++) into[i] = this.number();
  }

  /** Times, each from the one before. */
  times(count: number): Float64Array {
    const times = new Float64Array(count);
    for (let i = 0, at = 0; i < count; i++) times[i] = at += this.number();
    return times;
  }

  names(count: number): Uint32Array {
    const names = new Uint32Array(count);
    this.fill(names, 0, count);
    return names;
  }

  spans(count: number): Spans {
    const start = this.times(count);
    const end = new Float64Array(count);
    for (let i = 0; i < count; i++) end[i] = (start[i] as number) + this.number();
    return { start, end, name: this.names(count) };
  }

  crowd(count: number): Crowd {
    return { at: this.times(count), waiting: this.names(count) };
  }

  idle(count: number): Idle {
    const { start, end, name } = this.spans(count);
    return { start, end, state: name };
  }

  lives(count: number): Lives {
    const at = this.times(count);
    const kind = Uint8Array.from(at, () => this.byte());
    const task = this.names(count);
    return { at, kind, task, name: Int32Array.from(at, () => this.number() - 1) };
  }

  finished(): boolean {
    return this.at === this.bytes.length;
  }
}

export function decode(head: Head, bytes: Uint8Array): Capture {
  const reader = new Reader(bytes);
  const slices = room(head.cpus.reduce((sum, cpu) => sum + cpu.slices, 0));
  const lanes: Lane[] = [];
  let first = 0;
  for (const counts of head.cpus) {
    lanes.push(lane(reader, slices, first, counts));
    first += counts.slices;
  }
  const unserved = Array.from({ length: head.unserved }, () => ({ task: reader.number(), since: 0 }));
  for (const one of unserved) one.since = reader.number();
  if (!reader.finished()) throw new Error("the columns are not what the page's head says");
  return { head, slices, lanes, unserved };
}

function room(count: number): Slices {
  return {
    count,
    start: new Float64Array(count),
    end: new Float64Array(count),
    task: new Uint32Array(count),
    how: new Uint8Array(count),
    wait: new Float64Array(count),
    waker: new Int32Array(count).fill(-1),
    wakerCpu: new Uint16Array(count),
  };
}

function lane(reader: Reader, slices: Slices, first: number, counts: Counts): Lane {
  const last = first + counts.slices;
  const { start, end, how, wait, waker, wakerCpu } = slices;
  reader.fill(start, first, last);
  reader.fill(end, first, last);
  for (let i = first, at = 0; i < last; i++) {
    at += start[i] as number;
    start[i] = at;
    end[i] = at += end[i] as number;
  }
  reader.fill(slices.task, first, last);
  for (let i = first; i < last; i++) how[i] = reader.byte();
  for (let i = first; i < last; i++) if (waits(how[i] as number)) wait[i] = reader.number();
  for (let i = first; i < last; i++) if (woken(how[i] as number)) waker[i] = reader.number();
  for (let i = first; i < last; i++) if (woken(how[i] as number)) wakerCpu[i] = reader.number();
  const hardirqs = reader.spans(counts.hardirqs);
  const softirqs = reader.spans(counts.softirqs);
  const at = reader.times(counts.moments);
  const moments = { at, name: reader.names(counts.moments) };
  const missing = gaps(reader, counts.gaps);
  const crowd = reader.crowd(counts.crowd);
  const idle = reader.idle(counts.idle);
  const lives = reader.lives(counts.lives);
  return { cpu: counts.cpu, first, last, hardirqs, softirqs, moments, gaps: missing, crowd, idle, lives };
}

function gaps(reader: Reader, count: number): Gap[] {
  const start = reader.times(count);
  const gaps = Array.from(start, (from) => ({ start: from, end: from + reader.number(), lost: 0 }));
  for (const gap of gaps) gap.lost = reader.number() - 1;
  return gaps;
}

export function waits(how: number): boolean {
  return how >> 4 !== 0;
}

export function woken(how: number): boolean {
  return how >> 4 === 2;
}

export function begunBefore(how: number): boolean {
  return (how & 8) !== 0;
}
