// Entry: themes, then every figure that has data. Whatever fails leaves the
// static drawing where it was.
import { load } from "./data";
import { enliven } from "./plot";
import { start } from "./theme";

start();
const figures = load();
for (const host of document.querySelectorAll<HTMLElement>("figure[data-figure]")) {
  const figure = figures[host.dataset["figure"] ?? ""];
  if (figure) enliven(host, figure);
}
document.documentElement.classList.add("ready");
