// The elements around the lanes: search, buttons, what is said in words.

export function make<K extends keyof HTMLElementTagNameMap>(
  name: K, className = "", text = "",
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

export function button(text: string, label: string, press: () => void): HTMLButtonElement {
  const element = make("button", "", text);
  element.type = "button";
  element.title = label;
  element.setAttribute("aria-label", label);
  element.addEventListener("click", press);
  return element;
}

const KEYS: [string, string][] = [
  ["W S, + −, wheel", "zoom in and out, around the pointer"],
  ["A D, ← →, drag", "to the left and right"],
  ["↑ ↓, wheel over the names", "scroll the lanes"],
  ["0", "the whole capture"],
  ["1 2", "set mark A, B at the pointer, or in the middle"],
  ["drag the ruler, Shift+drag", "marks A and B around a stretch"],
  ["Esc", "take marks and choice away"],
  [", .", "the slice before, after the chosen one on its CPU"],
  ["F, double click", "to the marked stretch, to what is chosen"],
  ["/", "search; Enter and Shift+Enter go from place to place"],
  ["N P", "the next, the last place that was searched for"],
  ["two fingers", "zoom; one moves, a tap chooses"],
  ["?", "this page"],
];

const LEGEND: [string, string][] = [
  ["slice", "a task's time on a CPU. Where a column of pixels holds several: as high as the CPU was busy, in the colour of who ran longest"],
  ["wait", "in a task's lane: it could run, and had no CPU"],
  ["queue", "below a CPU's slices: how many tasks could run and waited for it"],
  ["hard", "hard interrupts"],
  ["soft", "softirqs"],
  ["moment", "timers that expire, and all other events"],
  ["life", "a task begins, takes another program (exec), ends"],
  ["gap", "hatched, or a tick where there is no room: events are missing. Nothing is drawn across"],
  ["arrow", "who woke whom; appears when zoomed in"],
];

export function helpDialog(): HTMLDialogElement {
  const list = make("dl");
  for (const [keys, what] of KEYS) list.append(make("dt", "", keys), make("dd", "", what));
  const legend = make("dl", "tl-legend");
  for (const [what, text] of LEGEND) {
    const term = make("dt");
    term.append(make("i", `tl-${what}`), ` ${what}`);
    legend.append(term, make("dd", "", text));
  }
  return dialog("Keys and signs", list, legend);
}

/** Opens another site only when its link is pressed. */
export function perfettoDialog(file: string): HTMLDialogElement {
  const why = make("p", "", "Perfetto's page does not read this one: it wants a file in its own format. Write one,");
  const command = make("pre", "", `pontage trace export ${quoted(file)} --format perfetto --out trace.pftrace`);
  const then = make("p", "", "then open it there. That page comes from the network (http or https only); the file stays in your browser.");
  const link = make("a", "", "Open ui.perfetto.dev");
  link.href = "https://ui.perfetto.dev/";
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  const last = make("p");
  last.append(link);
  return dialog("The same trace in Perfetto", why, command, then, last);
}

/** As a shell takes it. */
function quoted(file: string): string {
  return /^[\w./+-]+$/.test(file) ? file : `'${file.replace(/'/g, `'\\''`)}'`;
}

let dialogs = 0;

function dialog(title: string, ...content: HTMLElement[]): HTMLDialogElement {
  const element = make("dialog", "tl-dialog");
  const heading = make("h2", "", title);
  // A page may have several timelines.
  heading.id = `tl-dialog-${dialogs++}`;
  element.setAttribute("aria-labelledby", heading.id);
  const close = button("Close", "Close", () => element.close());
  element.append(heading, ...content, close);
  element.addEventListener("click", (e) => {
    if (e.target === element) element.close();
  });
  return element;
}
