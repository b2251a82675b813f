// The summary: who ran and who waited, sorted as the reader likes.
import type { State } from "./state";
import type { Summary, TaskSum } from "./summary";
import { duration } from "./view";

type Key = "name" | "pid" | Exclude<keyof TaskSum, "task">;
const COLUMNS: [Key, string, string][] = [
  ["name", "Task", "name of the thread"],
  ["pid", "Pid", "its number"],
  ["ran", "Ran", "time on CPUs"],
  ["slices", "Slices", "times that it ran, at least partly inside"],
  ["preempted", "Preempted", "slices that ended while the task could still run (R+, R)"],
  ["waited", "Waited", "runnable without a CPU"],
  ["longestWait", "Longest wait", "the longest that ended inside, whole"],
];
/** More rows than anybody reads would cost time with each movement. */
const MOST = 100;

export class Table {
  readonly element = document.createElement("div");
  private key: Key = "ran";
  private upwards = false;
  private last: Summary | null = null;

  constructor(
    private readonly state: State,
    /** A task's name was pressed. */
    private readonly find: (pid: number) => void,
  ) {
    this.element.className = "tl-table";
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "region");
    this.element.setAttribute("aria-label", "Who ran and who waited");
  }

  show(summary: Summary): void {
    this.last = summary;
    const table = document.createElement("table");
    table.append(this.head(), this.body(summary));
    this.element.replaceChildren(table);
    const more = summary.tasks.length - MOST;
    if (more > 0) {
      const note = document.createElement("p");
      note.textContent = `and ${more} more tasks: look for them by name`;
      this.element.append(note);
    }
  }

  private head(): HTMLElement {
    const head = document.createElement("thead");
    const row = head.insertRow();
    for (const [key, name, title] of COLUMNS) {
      const cell = document.createElement("th");
      const button = document.createElement("button");
      button.type = "button";
      button.title = title;
      const sorted = key === this.key;
      button.textContent = sorted ? `${name} ${this.upwards ? "▲" : "▼"}` : name;
      if (sorted) cell.setAttribute("aria-sort", this.upwards ? "ascending" : "descending");
      button.addEventListener("click", () => this.sort(key));
      cell.append(button);
      row.append(cell);
    }
    return head;
  }

  private sort(key: Key): void {
    this.upwards = key === this.key ? !this.upwards : key === "name" || key === "pid";
    this.key = key;
    if (this.last) this.show(this.last);
    const at = COLUMNS.findIndex(([name]) => name === key);
    this.element.querySelectorAll<HTMLElement>("th button")[at]?.focus();
  }

  private body(summary: Summary): HTMLElement {
    const { tasks } = this.state.capture.head;
    const { found, palette } = this.state;
    const value = (sum: TaskSum): number | string => {
      const [pid, name] = tasks[sum.task] ?? [0, ""];
      return this.key === "name" ? name : this.key === "pid" ? pid : sum[this.key];
    };
    const order = (a: TaskSum, b: TaskSum): number => {
      const [x, y] = [value(a), value(b)];
      const by = typeof x === "string" ? x.localeCompare(String(y)) : x - Number(y);
      return (this.upwards ? by : -by) || b.ran - a.ran;
    };
    const shown = summary.tasks.filter((sum) => found.taskCount === 0 || found.tasks[sum.task] === 1);
    const body = document.createElement("tbody");
    const length = Math.max(1, summary.to - summary.from);
    for (const sum of shown.sort(order).slice(0, MOST)) {
      const [pid, name] = tasks[sum.task] ?? [0, "?"];
      const row = body.insertRow();
      const swatch = document.createElement("i");
      swatch.style.background = palette.tasks[sum.task]?.css ?? "";
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.title = `show only ${name} ${pid}`;
      button.addEventListener("click", () => this.find(pid));
      row.insertCell().append(swatch, button);
      const share = ((sum.ran / length) * 100).toFixed(1);
      const wait = (ns: number): string => (ns > 0 ? duration(ns) : "-");
      const ran = sum.ran > 0 ? `${duration(sum.ran)} · ${share} %` : "-";
      const cells = [String(pid), ran, sum.slices > 0 ? String(sum.slices) : "-",
        sum.preempted > 0 ? String(sum.preempted) : "-", wait(sum.waited), wait(sum.longestWait)];
      for (const text of cells) row.insertCell().textContent = text;
    }
    return body;
  }
}
