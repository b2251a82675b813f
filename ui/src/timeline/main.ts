// Entry: every timeline of the page comes alive, one in a closed part of the
// page when that is opened. Whatever fails leaves the static overview where it
// was, and says why.
import { start as startTheme } from "../theme";
import { unpack } from "../unpack";
import { decode, type Head } from "./decode";
import { Timeline } from "./timeline";

async function enliven(host: HTMLElement): Promise<void> {
  const text = (name: string): string => host.querySelector(`script.${name}`)?.textContent ?? "";
  const head = JSON.parse(text("tl-head")) as Head;
  const capture = decode(head, await unpack(text("tl-data")));
  const timeline = new Timeline(capture, !document.body.classList.contains("tl-page"));
  host.append(timeline.element);
  host.classList.add("is-live");
  timeline.start();
  // When the reader can begin, since the page was asked for.
  host.dataset["openedMs"] = performance.now().toFixed(0);
}

function tried(host: HTMLElement): Promise<void> {
  return enliven(host).catch((cause: unknown) => {
    const note = document.createElement("p");
    note.className = "tl-failed";
    note.textContent = `The timeline cannot be drawn: ${String(cause)}. Below is the overview without it.`;
    host.prepend(note);
  });
}

/** A page may carry many: those that nobody opens cost nothing. */
function opened(host: HTMLElement): Promise<void> {
  const closed = host.closest<HTMLDetailsElement>("details:not([open])");
  if (!closed) return tried(host);
  const open = (): void => {
    if (!closed.open) return;
    closed.removeEventListener("toggle", open);
    void opened(host);
  };
  closed.addEventListener("toggle", open);
  return Promise.resolve();
}

// In a report its own script has done so.
if (!document.documentElement.dataset["theme"]) startTheme();
const hosts = [...document.querySelectorAll<HTMLElement>("section.tl")];
void Promise.all(hosts.map(opened)).then(() => document.documentElement.classList.add("ready"));
