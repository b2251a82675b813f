// One timeline: its parts, and what follows from what.
import type { Capture } from "./decode";
import { button, helpDialog, make, perfettoDialog } from "./frame";
import { describe, type Hit } from "./hit";
import { Pointer } from "./input";
import { listen, type Commands } from "./keys";
import { arrange } from "./lanes";
import { Overview } from "./overview";
import { palette } from "./palette";
import type { Group } from "./rows";
import { match, neighbour, type Place } from "./search";
import { RULER, Stage } from "./stage";
import { initial, relayout, selection, type State } from "./state";
import { summarise } from "./summary";
import { Table } from "./table";
import { View, duration, moment } from "./view";

/** A summary is for who has stopped moving. */
const REST_MS = 120;

export class Timeline implements Commands {
  readonly element = make("div", "tl-live");
  private readonly state: State;
  private readonly stage: Stage;
  private readonly over: Overview;
  private readonly pointer: Pointer;
  private readonly table: Table;
  private readonly box = make("div", "tl-stage");
  private readonly tip = make("div", "tl-tip");
  private readonly field = make("input", "tl-search");
  private readonly found = make("output", "tl-found");
  private readonly said = make("p", "tl-said");
  private readonly heading = make("summary");
  private readonly panel = make("details", "tl-panel");
  private readonly details = make("p", "tl-details");
  private readonly groups: { group: Group; button: HTMLButtonElement }[] = [];
  private readonly arms: HTMLButtonElement[] = [];
  private readonly helpBox = helpDialog();
  private frame = 0;
  private rest = 0;

  constructor(capture: Capture, embedded: boolean) {
    const runs = arrange(capture);
    const view = new View(capture.head.length_ns, 1);
    this.state = initial(capture, runs, view, palette(capture.head.tasks));
    this.stage = new Stage(this.state);
    this.over = new Overview(this.state, () => this.moved());
    this.table = new Table(this.state, (pid) => this.searchFor(String(pid)));
    this.pointer = new Pointer(this.state, this.stage, {
      redraw: () => this.moved(),
      hovered: (x, y, touch) => this.hovered(x, y, touch),
      chosen: () => this.chosen(),
      marked: () => this.marked(),
    }, embedded);
    this.build();
    listen(this.stage.canvas, this);
    new ResizeObserver(() => this.resized()).observe(this.box);
    new MutationObserver(() => this.coloured()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  /** After it was put into the page. */
  start(): void {
    this.resized();
    this.summary();
  }

  private build(): void {
    const { canvas } = this.stage;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", "Timeline: slices by CPU and by task. Press ? for its keys.");
    this.tip.hidden = true;
    this.said.setAttribute("role", "status");
    for (const group of ["cpus", "tasks"] as const) {
      const toggle = make("button", "tl-group");
      toggle.type = "button";
      toggle.addEventListener("click", () => this.toggle(group));
      this.groups.push({ group, button: toggle });
    }
    this.box.append(canvas, ...this.groups.map((g) => g.button), this.tip);
    this.panel.append(this.heading, this.details, this.table.element);
    this.panel.open = window.innerWidth >= 700;
    this.element.append(this.toolbar(), this.over.canvas, this.box, this.said, this.panel, this.helpBox);
  }

  private toolbar(): HTMLElement {
    const bar = make("div", "tl-bar");
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", "Timeline");
    this.field.type = "search";
    this.field.placeholder = "Task, pid or event";
    this.field.setAttribute("aria-label", "Show only tasks and events with this name or pid");
    this.field.addEventListener("input", () => this.searched());
    this.field.addEventListener("keydown", (e) => {
      if (e.key === "Enter") this.find(!e.shiftKey);
      else if (e.key === "Escape") this.searchFor("");
    });
    const arm = (which: number): HTMLButtonElement => {
      const name = which === 0 ? "A" : "B";
      const one = button(name, `Set mark ${name} with the next click in the lanes (key ${which + 1})`, () => {
        this.pointer.arm = this.pointer.arm === which ? -1 : which;
        this.armed();
      });
      this.arms.push(one);
      return one;
    };
    const perfetto = perfettoDialog(this.state.capture.head.title);
    const part = (...buttons: HTMLElement[]): HTMLElement => {
      const span = make("span", "tl-part");
      span.append(...buttons);
      return span;
    };
    bar.append(
      this.field,
      part(button("◂", "The last place (P)", () => this.find(false)), button("▸", "The next place (N)", () => this.find(true))),
      this.found,
      part(arm(0), arm(1), button("✕", "Take the marks away (Esc)", () => this.clear())),
      part(button("−", "Zoom out (S)", () => this.zoom(1.6)), button("+", "Zoom in (W)", () => this.zoom(1 / 1.6)), button("All", "The whole capture (0)", () => this.all())),
      part(button("Perfetto", "Open the same trace in Perfetto", () => perfetto.showModal()), button("?", "Keys and signs (?)", () => this.help())),
    );
    this.element.append(perfetto);
    return bar;
  }

  private resized(): void {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width === 0 || height === 0) return;
    this.stage.resize(width, height);
    this.over.resize(width, this.stage.gutter);
    this.state.view.pan(0);
    this.draw();
  }

  private coloured(): void {
    this.state.palette = palette(this.state.capture.head.tasks);
    this.over.paintLoad();
    this.moved();
  }

  /** Draws before the next frame, and sums up when nothing moves any more. */
  private moved(): void {
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.draw();
      });
    }
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => this.summary(), REST_MS);
  }

  private draw(): void {
    if (this.stage.outdated) return this.resized();
    this.stage.draw();
    this.over.draw();
    const { rows, scroll, closed, capture, runs } = this.state;
    for (const { group, button: toggle } of this.groups) {
      const row = rows.find((r) => r.kind === "group" && r.group === group);
      const top = (row?.top ?? 0) - scroll + RULER;
      const open = !closed.has(group);
      const count = group === "cpus" ? runs.cpus.length : rows.filter((r) => r.kind === "task").length;
      const name = group === "cpus" ? "CPUs" : "Tasks";
      const text = `${open ? "▾" : "▸"} ${name} ${open || group === "cpus" ? count : capture.head.tasks.length}`;
      if (toggle.textContent !== text) toggle.textContent = text;
      toggle.setAttribute("aria-expanded", String(open));
      toggle.style.transform = `translateY(${top}px)`;
      toggle.hidden = top < RULER || top > this.stage.height - 12;
    }
  }

  private toggle(group: Group): void {
    const { closed } = this.state;
    if (!closed.delete(group)) closed.add(group);
    relayout(this.state);
    this.draw();
    this.moved();
  }

  private hovered(x: number, y: number, touch: boolean): void {
    const { hover, chosen } = this.state;
    const hit = hover ?? (touch ? chosen : null);
    this.stage.canvas.style.cursor = this.pointer.arm >= 0 || y < RULER ? "crosshair" : "";
    this.tip.hidden = hit === null || x !== x;
    if (hit && x === x) {
      this.fill(this.tip, hit);
      const { offsetWidth: width, offsetHeight: height } = this.tip;
      const left = x + 14 + width > this.stage.width ? x - width - 14 : x + 14;
      const top = y + 18 + height > this.stage.height ? y - height - 12 : y + 18;
      this.tip.style.transform = `translate(${Math.round(Math.max(2, Math.min(left, this.stage.width - width - 2)))}px, ${Math.round(Math.max(2, top))}px)`;
    }
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.draw();
      });
    }
  }

  private fill(element: HTMLElement, hit: Hit): void {
    const [first, ...rest] = describe(this.state.capture, this.state.runs, hit);
    const lines = rest.map((text) => make("span", "", text));
    element.replaceChildren(make("b", "", first), ...lines);
  }

  private chosen(): void {
    const { chosen, capture, runs } = this.state;
    this.details.replaceChildren();
    if (chosen) {
      this.fill(this.details, chosen);
      this.said.textContent = describe(capture, runs, chosen).join(", ");
    }
    this.moved();
  }

  private armed(): void {
    this.arms.forEach((one, i) => one.setAttribute("aria-pressed", String(this.pointer.arm === i)));
  }

  private marked(): void {
    this.armed();
    const both = selection(this.state);
    if (both) this.said.textContent = `A to B: ${duration(both[1] - both[0])}`;
    this.moved();
  }

  private summary(): void {
    const { capture, runs, view } = this.state;
    const both = selection(this.state);
    const [from, to] = both ?? [Math.max(0, view.from), Math.min(view.length, view.to)];
    const sum = summarise(capture, runs, from, to);
    const mean = sum.busy.reduce((total, cpu) => total + cpu.share, 0) / Math.max(1, sum.busy.length);
    const cpus = sum.busy.length <= 8 ? sum.busy.map((b) => `CPU ${b.cpu} ${percent(b.share)}`).join(", ") : `${sum.busy.length} CPUs, mean ${percent(mean)}`;
    const where = both ? `A to B: ${duration(to - from)}` : `In view: ${duration(to - from)}`;
    const rest = [`from ${moment(from)}`, `busy: ${cpus}`];
    if (sum.hard + sum.soft > 0) rest.push(`interrupts ${duration(sum.hard)}, softirqs ${duration(sum.soft)}`);
    this.heading.replaceChildren(make("b", "", where), ...rest.map((text) => make("span", "", text)));
    this.table.show(sum);
  }

  private searched(): void {
    const found = match(this.state.capture, this.field.value);
    this.state.found = found;
    const tasks = `${found.taskCount} ${found.taskCount === 1 ? "task" : "tasks"}`;
    const names = found.nameCount > 0 ? `, ${found.nameCount} ${found.nameCount === 1 ? "event" : "events"}` : "";
    this.found.textContent = found.all ? "" : tasks + names;
    relayout(this.state);
    this.moved();
  }

  private searchFor(text: string): void {
    this.field.value = text;
    this.searched();
  }

  private go(place: Place): void {
    const { view, runs, capture } = this.state;
    const length = place.end - place.start;
    // A place that would not be seen is zoomed in on.
    const least = Math.max(length, 1000) * 12;
    if (length < view.nsPerPixel * 3 && view.span > least) view.show(place.start - least / 2, place.start + least / 2);
    view.centre((place.start + place.end) / 2);
    if (place.slice >= 0) {
      const { start, end } = capture.slices;
      const slice = place.slice;
      this.state.chosen = { kind: "slice", cpu: place.cpu, slice, start: start[slice] as number, end: end[slice] as number };
    } else {
      const cpu = runs.cpus[place.cpu]?.lane.cpu;
      this.said.textContent = `CPU ${cpu} at ${moment(place.start)}`;
      this.state.chosen = null;
    }
    this.at = place.start;
    this.chosen();
  }

  /** Where the search stands. */
  private at = NaN;

  // What keys and buttons do.

  find(forward: boolean): void {
    const { found, view, runs } = this.state;
    if (found.all) return this.search();
    const from = this.at >= view.from && this.at <= view.to ? this.at : view.from + view.span / 2;
    const place = neighbour(runs, found, from, forward);
    if (place) this.go(place);
    else this.said.textContent = forward ? "no more after this" : "no more before this";
  }

  step(by: 1 | -1): void {
    const { chosen, runs, view } = this.state;
    const cpu = chosen?.kind === "slice" ? chosen.cpu : 0;
    const run = runs.cpus[cpu];
    if (!run) return;
    const slice = chosen?.kind === "slice" ? chosen.slice + by : run.lane.first;
    if (slice < run.lane.first || slice >= run.lane.last) return;
    const i = slice - run.lane.first;
    const [start, end] = [run.start[i] as number, run.end[i] as number];
    if (chosen?.kind !== "slice") view.centre(start);
    this.go({ start, end, cpu, slice });
  }

  zoom(factor: number): void {
    const { view } = this.state;
    const x = this.pointer.x - this.stage.gutter;
    view.zoom(factor, x >= 0 ? x : view.width / 2);
    this.moved();
  }

  pan(share: number): void {
    this.state.view.pan(this.state.view.width * share);
    this.moved();
  }

  scroll(pixels: number): void {
    this.state.scroll += pixels;
    this.moved();
  }

  all(): void {
    this.state.view.all();
    this.moved();
  }

  end(which: "first" | "last"): void {
    const { view } = this.state;
    view.centre(which === "first" ? 0 : view.length);
    this.moved();
  }

  mark(which: number): void {
    this.pointer.mark(which);
  }

  clear(): void {
    this.state.marks = [NaN, NaN];
    this.state.chosen = this.state.hover = null;
    this.pointer.arm = -1;
    this.tip.hidden = true;
    this.said.textContent = "";
    this.chosen();
    this.armed();
  }

  fit(): void {
    const { view, chosen } = this.state;
    const stretch = selection(this.state) ?? (chosen ? [chosen.start, chosen.end] : null);
    if (!stretch || !(stretch[1] as number > (stretch[0] as number))) return;
    const [from, to] = stretch as [number, number];
    view.show(from - (to - from) * 0.1, to + (to - from) * 0.1);
    this.moved();
  }

  search(): void {
    this.field.focus();
    this.field.select();
  }

  help(): void {
    this.helpBox.showModal();
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`;
}
