// Entry: every timeline of the page comes alive. Whatever fails leaves the
// static overview where it was, and says why.
import { start as startTheme } from "../theme";
import { decode, unpack, type Head } from "./decode";
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

// In a report its own script has done so.
if (!document.documentElement.dataset["theme"]) startTheme();
const hosts = [...document.querySelectorAll<HTMLElement>("section.tl")];
const all = hosts.map((host) =>
  enliven(host).catch((cause: unknown) => {
    const note = document.createElement("p");
    note.className = "tl-failed";
    note.textContent = `The timeline cannot be drawn: ${String(cause)}. Below is the overview without it.`;
    host.prepend(note);
  }));
void Promise.all(all).then(() => document.documentElement.classList.add("ready"));
