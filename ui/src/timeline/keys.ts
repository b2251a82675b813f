// The keyboard, while the lanes have the focus.

export interface Commands {
  zoom(factor: number): void;
  pan(share: number): void;
  scroll(pixels: number): void;
  all(): void;
  end(which: "first" | "last"): void;
  mark(which: number): void;
  clear(): void;
  fit(): void;
  step(by: 1 | -1): void;
  find(forward: boolean): void;
  search(): void;
  help(): void;
}

const IN = 0.75;
const MOVE = 0.12;

const BINDINGS: Record<string, (commands: Commands) => void> = {
  w: (c) => c.zoom(IN),
  "+": (c) => c.zoom(IN),
  "=": (c) => c.zoom(IN),
  s: (c) => c.zoom(1 / IN),
  "-": (c) => c.zoom(1 / IN),
  _: (c) => c.zoom(1 / IN),
  a: (c) => c.pan(-MOVE),
  arrowleft: (c) => c.pan(-MOVE),
  d: (c) => c.pan(MOVE),
  arrowright: (c) => c.pan(MOVE),
  arrowup: (c) => c.scroll(-40),
  arrowdown: (c) => c.scroll(40),
  pageup: (c) => c.scroll(-300),
  pagedown: (c) => c.scroll(300),
  home: (c) => c.end("first"),
  end: (c) => c.end("last"),
  "0": (c) => c.all(),
  "1": (c) => c.mark(0),
  "2": (c) => c.mark(1),
  escape: (c) => c.clear(),
  f: (c) => c.fit(),
  ",": (c) => c.step(-1),
  ".": (c) => c.step(1),
  n: (c) => c.find(true),
  p: (c) => c.find(false),
  "/": (c) => c.search(),
  "?": (c) => c.help(),
};

/** Keys with Ctrl, Alt or Meta are the browser's. */
export function listen(element: HTMLElement, commands: Commands): void {
  element.addEventListener("keydown", (e) => {
    const action = BINDINGS[e.key.toLowerCase()];
    if (!action || e.ctrlKey || e.altKey || e.metaKey) return;
    e.preventDefault();
    action(commands);
  });
}
