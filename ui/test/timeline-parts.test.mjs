// The timeline's parts that need no browser.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import * as esbuild from "esbuild";

const source = join(dirname(fileURLToPath(import.meta.url)), "..", "src", "timeline");

async function part(name) {
  const options = { entryPoints: [join(source, `${name}.ts`)], bundle: true, format: "esm", write: false };
  const { outputFiles } = await esbuild.build(options);
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}

const [{ View, ticks, duration, moment }, { Peaks, Pyramid, gallop, atOrAfter, cumulated }, { decode }, raster, lanes, summary, { hash, inkOn }, hit, { unpack }] =
  await Promise.all(["view", "pyramid", "decode", "raster", "lanes", "summary", "palette", "hit", "../unpack"].map(part));

/** The same numbers each time. */
function random(seed = 7) {
  return (below) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}

test("time and pixels are each other's inverse, also after zoom and pan", () => {
  const view = new View(1e9, 1000);
  const below = random();
  for (let i = 0; i < 500; i++) {
    if (i % 3 === 0) view.zoom(0.5 + below(1000) / 900, below(1000));
    else view.pan(below(400) - 200);
    const x = below(1000);
    assert.ok(Math.abs(view.x(view.time(x)) - x) < 1e-3, `at step ${i}`);
    assert.ok(view.span >= 40 && view.span <= 1.05e9);
    assert.ok(view.to > 0 && view.from < 1e9, "the capture cannot be lost sight of");
  }
});

test("zooming keeps what is under the pointer, and ends at nanoseconds", () => {
  const view = new View(5e9, 1200);
  const kept = view.time(333);
  for (let i = 0; i < 10; i++) view.zoom(0.7, 333);
  assert.ok(Math.abs(view.time(333) - kept) < 1);
  for (let i = 0; i < 200; i++) view.zoom(0.7, 333);
  assert.equal(view.span, 40);
  view.all();
  assert.ok(view.from < 0 && view.to > 5e9);
  view.show(100, 300);
  assert.deepEqual([view.from, view.to], [100, 300]);
});

test("columns stand at whole multiples, wherever the view begins", () => {
  const view = new View(1e6, 100);
  view.show(12_345, 22_345);
  assert.equal(view.aligned(100), 12_300);
  view.pan(0.5);
  assert.equal(view.aligned(100), 12_300);
});

test("ticks are round, apart, few, and say what they count from", () => {
  const view = new View(10e9, 1000);
  const whole = ticks(view, 90);
  assert.equal(whole.base, "");
  assert.deepEqual(whole.at.slice(0, 3).map((t) => t.label), ["0 s", "1 s", "2 s"]);
  view.show(3_123_456_000, 3_123_457_000);
  const near = ticks(view, 90);
  assert.equal(near.base, "3.123 456 s +");
  assert.deepEqual(near.at.slice(0, 3).map((t) => t.label), ["0 ns", "100 ns", "200 ns"]);
  for (let span = 40; span < 10e9; span *= 1.7) {
    view.show(1e9, 1e9 + span);
    const { at } = ticks(view, 90);
    assert.ok(at.length <= 12, `${at.length} ticks`);
    for (let i = 1; i < at.length; i++) {
      assert.ok(view.x(at[i].time) - view.x(at[i - 1].time) >= 89.9);
      assert.notEqual(at[i].label, at[i - 1].label);
    }
  }
});

test("times are written with their units", () => {
  assert.deepEqual([0, 7, 999, 1234, 999_960, 12_345_678, 3e9].map(duration),
    ["0 ns", "7 ns", "999 ns", "1.234 µs", "1.000 ms", "12.35 ms", "3.000 s"]);
  assert.equal(moment(1_234_567_890), "1.234 567 890 s");
  assert.equal(moment(-5), "-0.000 000 005 s");
});

test("searching by halves and by strides finds the same", () => {
  const below = random(3);
  const values = Float64Array.from({ length: 300 }, () => below(1000)).sort();
  for (let wanted = -1; wanted <= 1001; wanted++) {
    const plain = values.findIndex((v) => v >= wanted);
    const first = plain < 0 ? values.length : plain;
    assert.equal(atOrAfter(values, wanted, 0, values.length), first);
    const from = Math.min(first, 40);
    assert.equal(gallop(values, wanted, from, values.length), first);
  }
});

/** Slices one behind the other, some with idle time between. */
function slices(count, tasks, below) {
  const [start, end, task] = [new Float64Array(count), new Float64Array(count), new Uint32Array(count)];
  for (let i = 0, at = 0; i < count; i++) {
    start[i] = at += below(3) === 0 ? below(50) : 0;
    end[i] = at += below(200);
    task[i] = below(tasks);
  }
  return { start, end, task };
}

test("the pyramid is exact for few slices, and near for many", () => {
  const below = random(11);
  const { start, end, task } = slices(5000, 5, below);
  // Task 3 has most of the time, everywhere.
  for (let i = 0; i < task.length; i++) if (i % 3 !== 0) task[i] = 3;
  const pyramid = new Pyramid(start, end, task, 5);
  assert.equal(pyramid.dominant(0, 5000), 3);
  assert.equal(pyramid.dominant(777, 4321), 3);
  const other = slices(5000, 6, below);
  const plain = (first, last) => {
    const sums = new Float64Array(6);
    for (let i = first; i < last; i++) sums[other.task[i]] += other.end[i] - other.start[i];
    return sums;
  };
  const small = new Pyramid(other.start, other.end, other.task, 6);
  for (let n = 0; n < 300; n++) {
    const first = below(4900);
    const last = first + 1 + below(100);
    const sums = plain(first, last);
    assert.equal(sums[small.dominant(first, last)], Math.max(...sums), `${first}..${last}`);
  }
});

test("a walk meets each interval once, and takes no more steps than columns", () => {
  const below = random(5);
  const { start, end } = slices(20_000, 3, below);
  const length = end[end.length - 1];
  for (const [from, nsPerColumn, columns] of [[0, length / 700, 700], [length / 3, 4000, 500], [length / 2, 60, 900]]) {
    const scale = { from, nsPerColumn, columns };
    let [steps, next] = [0, atOrAfter(end, from, 0, end.length)];
    const first = next;
    raster.walk(start, end, scale,
      (i) => {
        assert.equal(i, next++);
        assert.ok(end[i] - start[i] >= nsPerColumn);
        steps++;
      },
      (column, from_, to) => {
        assert.equal(from_, next);
        assert.ok(to > from_ && column < columns);
        for (let i = from_; i < to; i++) assert.ok(end[i] - start[i] < nsPerColumn, `${i} is wide`);
        next = to;
        steps++;
      });
    const last = atOrAfter(start, from + columns * nsPerColumn, 0, start.length);
    assert.ok(next >= last && next > first, "all that is seen is met");
    assert.ok(steps <= 2 * columns + 2, `${steps} steps for ${columns} columns`);
  }
});

/** `array`, and how often one of its numbers is looked at. */
function counted(array, tally) {
  return new Proxy(array, {
    get(target, key) {
      if (typeof key === "string" && /^\d+$/.test(key)) tally.reads++;
      const value = target[key];
      if (key === "subarray") return (...range) => counted(target.subarray(...range), tally);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** As `slices`, as lanes that are drawn in every way; with what was read of them. */
function seen(count) {
  const below = random(29);
  const tally = { reads: 0 };
  const { start, end, task } = slices(count, 7, below);
  const of = (array) => counted(array, tally);
  const waiting = Uint32Array.from(start, () => below(9));
  const [at, sums] = [of(start), of(cumulated(start, end))];
  const cpu = {
    start: at, end: of(end), sums, task: of(task), pyramid: new Pyramid(start, end, of(task), 7),
    peaks: new Peaks(of(waiting)), lane: { crowd: { at, waiting: of(waiting) } },
  };
  const own = { ready: at, start: at, end: of(end), ran: sums, waited: of(cumulated(start, start)), unserved: NaN };
  tally.reads = 0;
  return { cpu, own, tally, length: end[end.length - 1] };
}

// Reads are counted and no time: what this costs on a busy machine is the machine's matter.
test("a frame of a million slices looks at so many numbers for a column, and no more", () => {
  const columns = 1400;
  const bar = { top: 0, height: 12, least: 1 };
  const { cpu, own, tally, length } = seen(1_000_000);
  // All of them; a hundred in a column, four; one in many columns.
  for (const nsPerColumn of [length / columns, 10_000, 400, 5]) {
    const scale = { from: nsPerColumn * columns < length ? length / 3 : 0, nsPerColumn, columns };
    let bars = 0;
    const on = { width: columns, height: 12, rect: () => bars++, column: () => bars++ };
    tally.reads = 0;
    raster.paintCpu(on, cpu, scale, bar, (task) => task + 1, 0);
    raster.paintTask(on, own, scale, bar, 1, 2, length);
    raster.paintSpans(on, cpu, scale, bar, () => 3);
    raster.paintCrowd(on, cpu, scale, bar, 9, length, 4);
    raster.paintMoments(on, cpu.lane.crowd.at, scale, bar, () => 5);
    assert.ok(bars > 0, "nothing is drawn");
    assert.ok(bars <= 20 * columns, `${bars} bars in ${columns} columns`);
    // Halving takes a few steps; whose column it is, 128 slices or nodes tell.
    assert.ok(tally.reads <= 400 * columns, `${tally.reads} numbers for ${columns} columns`);
  }
});

test("to open a capture costs so much for a slice, however many there are", () => {
  const reads = [2_000, 32_000].map((count) => {
    const below = random(31);
    const tally = { reads: 0 };
    const parts = Array.from({ length: 8 }, () => slices(count, 40, below));
    const all = (what, type) => {
      const joined = type.from(parts.flatMap((part) => [...part[what]]));
      return counted(joined, tally);
    };
    const none = { start: new Float64Array(0), end: new Float64Array(0), name: new Uint32Array(0), count: 0 };
    const lane = (cpu) => ({
      cpu, first: cpu * count, last: (cpu + 1) * count, hardirqs: none, softirqs: none, gaps: [],
      crowd: { at: new Float64Array(0), waiting: new Uint32Array(0) },
      lives: { at: new Float64Array(0), task: new Uint32Array(0) },
    });
    const wait = counted(new Float64Array(8 * count), tally);
    lanes.arrange({
      head: { tasks: Array.from({ length: 40 }, (_, i) => [i, "t"]) },
      slices: { start: all("start", Float64Array), end: all("end", Float64Array), task: all("task", Uint32Array), wait, count: 8 * count },
      lanes: parts.map((_, cpu) => lane(cpu)), unserved: [],
    });
    return tally.reads / (8 * count);
  });
  assert.ok(reads[1] < 1.5 * reads[0] && reads[1] < 100, `${reads.join(" and ")} reads a slice`);
});

/** LEB128, as crates/trace writes it. */
function encoded(numbers) {
  const bytes = [];
  for (let n of numbers) {
    for (; n >= 128; n = Math.floor(n / 128)) bytes.push((n % 128) | 128);
    bytes.push(n);
  }
  return Uint8Array.from(bytes);
}

// Two CPUs; task 0 runs on both and is woken by task 1.
const head = {
  title: "t", begin_ns: 0, length_ns: 1000, clock: "mono", tasks: [[11, "a"], [12, "b"]], names: ["x", "y"],
  cpus: [
    { cpu: 0, slices: 2, hardirqs: 1, softirqs: 0, moments: 2, gaps: 1, crowd: 2, idle: 1, lives: 1 },
    { cpu: 3, slices: 1, hardirqs: 0, softirqs: 0, moments: 0, gaps: 0, crowd: 0, idle: 0, lives: 0 },
  ],
  unserved: 1, events: 9, lost_events: 4,
};
const columns = encoded([
  100, 50, 200, 300, 1, 0, 0x01, 0x23, 40, 4, 3,
  120, 30, 1,
  10, 5, 0, 1,
  700, 20, 5,
  400, 50, 2, 0,
  20, 60, 3,
  30, 1, 0, 2,
  650, 350, 0, 0x18, 7,
  1, 900,
]);

test("columns become slices, waits, wakers, interrupts, gaps", async () => {
  const capture = decode(head, columns);
  const { slices: s, lanes: [zero, one] } = capture;
  assert.deepEqual([...s.start], [100, 350, 650]);
  assert.deepEqual([...s.end], [300, 650, 1000]);
  assert.deepEqual([...s.task], [1, 0, 0]);
  assert.deepEqual([...s.wait], [0, 40, 7]);
  assert.deepEqual([s.waker[1], s.wakerCpu[1], s.waker[2]], [4, 3, -1]);
  assert.deepEqual([zero.hardirqs.start[0], zero.hardirqs.end[0], zero.hardirqs.name[0]], [120, 150, 1]);
  assert.deepEqual([...zero.moments.at], [10, 15]);
  assert.deepEqual(zero.gaps, [{ start: 700, end: 720, lost: 4 }]);
  assert.deepEqual([[...zero.crowd.at], [...zero.crowd.waiting]], [[400, 450], [2, 0]]);
  assert.deepEqual([zero.idle.start[0], zero.idle.end[0], zero.idle.state[0]], [20, 80, 3]);
  const { at, kind, task, name } = zero.lives;
  assert.deepEqual([at[0], kind[0], task[0], name[0]], [30, 1, 0, 1]);
  assert.deepEqual([one.cpu, one.first, one.last], [3, 2, 3]);
  assert.deepEqual(capture.unserved, [{ task: 1, since: 900 }]);
  assert.throws(() => decode(head, columns.subarray(0, 20)), /columns/);
  assert.throws(() => decode(head, Uint8Array.from([...columns, 1])), /columns/);
  const big = decode({ ...head, cpus: [], unserved: 1 }, encoded([1, 2 ** 45 + 3]));
  assert.equal(big.unserved[0].since, 2 ** 45 + 3);
  const packed = deflateSync(columns).toString("base64");
  assert.deepEqual(await unpack(`\n${packed} `), columns);
});

test("slices of all CPUs merge by their begin", () => {
  const below = random(17);
  const parts = Array.from({ length: 5 }, () => slices(below(200), 3, below));
  const start = Float64Array.from(parts.flatMap((part) => [...part.start]));
  let first = 0;
  const found = parts.map((part) => ({ first, last: (first += part.start.length) }));
  const order = [...lanes.merged({ slices: { start, count: start.length }, lanes: found })];
  for (let i = 1; i < order.length; i++) assert.ok(start[order[i - 1]] <= start[order[i]], `at ${i}`);
  assert.equal(new Set(order).size, start.length);
});

test("preempted is what was taken: R+ and R, and no sched_yield", () => {
  const capture = decode(head, columns);
  const runs = lanes.arrange(capture);
  const { how, task } = capture.slices;
  const slice = [...task].indexOf(1);
  for (const [end, preempted] of [[0, 0], [1, 1], [2, 1], [3, 0], [6, 0], [7, 0]]) {
    how[slice] = (how[slice] & ~7) | end;
    assert.equal(summary.summarise(capture, runs, 0, 1000).tasks[1].preempted, preempted, `end ${end}`);
  }
});

test("a summary sums what lies inside", () => {
  const capture = decode(head, columns);
  const runs = lanes.arrange(capture);
  assert.deepEqual([...lanes.merged(capture)], [0, 1, 2]);
  assert.deepEqual(runs.tasks.map((run) => [run.task, run.total]), [[0, 650], [1, 200]]);
  const whole = summary.summarise(capture, runs, 0, 1000);
  assert.deepEqual(whole.tasks[0], { task: 0, ran: 650, slices: 2, preempted: 0, waited: 47, longestWait: 40 });
  assert.deepEqual(whole.tasks[1], { task: 1, ran: 200, slices: 1, preempted: 1, waited: 100, longestWait: 100 });
  assert.deepEqual(whole.busy, [{ cpu: 0, share: 0.5 }, { cpu: 3, share: 0.35 }]);
  assert.equal(whole.hard, 30);
  const inside = summary.summarise(capture, runs, 250, 400);
  assert.deepEqual(inside.tasks.map((sum) => [sum.task, sum.ran, sum.waited]), [[0, 50, 40], [1, 50, 0]]);
  const run = runs.cpus[0];
  assert.equal(summary.covered(run, 120, 360), 190);
  assert.equal(summary.covered(run, 0, 50), 0);
});

test("a name has its colour for ever, with words that can be read on it", () => {
  assert.equal(hash("kworker"), hash("kworker"));
  assert.notEqual(hash("dd"), hash("cat"));
  assert.equal(inkOn([255, 255, 255]), "#000");
  assert.equal(inkOn([0, 0, 90]), "#fff");
  assert.deepEqual([...cumulated(Float64Array.of(1, 5), Float64Array.of(3, 9))], [0, 2, 6]);
});

test("the greatest of any run is exact", () => {
  const below = random(23);
  const values = Uint32Array.from({ length: 3000 }, () => below(1000) ** 2);
  const peaks = new Peaks(values);
  assert.equal(new Peaks(new Uint32Array(0)).most(0, 0), 0);
  for (let n = 0; n < 500; n++) {
    const first = below(3000);
    const last = first + below(3001 - first);
    assert.equal(peaks.most(first, last), Math.max(0, ...values.subarray(first, last)), `${first}..${last}`);
  }
});

test("what the pointer is told: who waits, how a CPU slept, what a task became", () => {
  const named = { ...head, tasks: [[11, "a", "sh", "env"], [12, "b"]] };
  const capture = decode(named, columns);
  const runs = lanes.arrange(capture);
  const [run] = runs.cpus;
  const tell = (found) => hit.describe(capture, runs, found).join(" | ");
  assert.match(tell(hit.onCpu(run, 0, 360, 1)), /^a 11 .*called sh, env before \| meanwhile 2 tasks wait at most$/);
  assert.doesNotMatch(tell(hit.onCpu(run, 0, 150, 1)), /meanwhile|before/);
  assert.match(tell(hit.onCrowd(run, 0, 420, 1000)), /^2 tasks wait \| CPU 0 · 50 ns/);
  assert.match(tell(hit.onCrowd(run, 0, 10, 1000)), /^nobody waits/);
  assert.match(tell(hit.onCpu(run, 0, 40, 1)), /idle state 3: 60 ns/);
  assert.match(tell(hit.onLives(run, 0, 31, 5)), /^a 11 takes another program \| y \| CPU 0 at /);
  assert.equal(hit.onLives(run, 0, 100, 5), null);
  assert.deepEqual([...runs.tasks[0].lives], [30]);
  assert.equal(runs.crowd, 2);
});
