// Entry: themes, the line under the map, then every figure that has data when its
// part of the page is opened. Nothing is unpacked before.
import { type Figure, load } from "./data";
import { follow } from "./map";
import { enliven } from "./plot";
import { start } from "./theme";

start();
follow();

let figures: Promise<Record<string, Figure>> | undefined;
const alive = new Set<HTMLElement>();

async function draw(part: ParentNode): Promise<void> {
  const hosts = [...part.querySelectorAll<HTMLElement>("figure[data-figure]")];
  const waiting = hosts.filter((host) => !alive.has(host));
  if (waiting.length === 0) return;
  figures ??= load();
  const all = await figures;
  for (const host of waiting) {
    const figure = all[host.dataset["figure"] ?? ""];
    if (!figure || alive.has(host) || host.closest("details:not([open])")) continue;
    alive.add(host);
    enliven(host, figure);
  }
}

for (const part of document.querySelectorAll("details")) {
  part.addEventListener("toggle", () => {
    if (part.open) void draw(part);
  });
}
document.documentElement.classList.add("ready");
