// The toll map: what is known of a cell stands in one line under it, for the pointer
// and for the arrow keys.

/** Moves the texts of the cells from their tooltips into the line. */
export function follow(): void {
  const line = document.getElementById("say");
  const cells = [...document.querySelectorAll<HTMLElement>(".toll td[title]")];
  if (!line || cells.length === 0) return;
  const hint = line.textContent ?? "";
  const texts = new Map(cells.map((cell) => [cell, cell.title]));
  const say = (cell: EventTarget | null): void => {
    const found = cell instanceof Element ? cell.closest<HTMLElement>(".toll td") : null;
    line.textContent = (found && texts.get(found)) || hint;
  };
  for (const [at, cell] of cells.entries()) {
    cell.setAttribute("aria-label", cell.title);
    cell.removeAttribute("title");
    cell.tabIndex = at === 0 ? 0 : -1;
  }
  for (const table of document.querySelectorAll<HTMLElement>(".toll")) {
    table.addEventListener("pointerover", (event) => say(event.target));
    table.addEventListener("pointerleave", () => say(document.activeElement));
    table.addEventListener("focusin", (event) => say(event.target));
    table.addEventListener("keydown", (event) => {
      const from = event.target instanceof Element ? event.target.closest<HTMLElement>("td") : null;
      const to = from && next(cells, from, event.key);
      if (!from || !to) return;
      event.preventDefault();
      from.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    });
  }
}

/** The nearest cell in the direction of the key, by where the cells stand. */
function next(cells: HTMLElement[], from: HTMLElement, key: string): HTMLElement | undefined {
  const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  if (!way) return undefined;
  const [across = 0, down = 0] = way;
  const middle = (cell: HTMLElement): [number, number] => {
    const box = cell.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = middle(from);
  let best: HTMLElement | undefined;
  let least = Infinity;
  for (const cell of cells) {
    const [otherX, otherY] = middle(cell);
    const ahead = (otherX - x) * across + (otherY - y) * down;
    const aside = Math.abs((otherX - x) * down) + Math.abs((otherY - y) * across);
    if (ahead < 2 || ahead + 4 * aside >= least) continue;
    least = ahead + 4 * aside;
    best = cell;
  }
  return best;
}
