// Dark and light: the system's choice until the reader makes one.

const KEY = "pontage-theme";
type Theme = "dark" | "light";

const cache = new Map<string, string>();
const listeners: (() => void)[] = [];

/** Value of a colour role now: `c0`, `ink`. */
export function colour(role: string): string {
  let value = cache.get(role);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${role}`).trim();
    cache.set(role, value);
  }
  return value;
}

export function onChange(listener: () => void): void {
  listeners.push(listener);
}

function changed(): void {
  cache.clear();
  for (const listener of listeners) listener();
}

function system(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

// Storage may be forbidden for files; the choice then lasts as long as the page.
function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === "dark" || value === "light" ? value : null;
  } catch {
    return null;
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Not kept.
  }
}

export function start(): void {
  const root = document.documentElement;
  const button = document.getElementById("theme") as HTMLButtonElement | null;
  let theme: Theme = stored() ?? system();
  const show = (): void => {
    root.dataset["theme"] = theme;
    if (button) {
      const other = theme === "dark" ? "light" : "dark";
      button.textContent = other === "dark" ? "Dark" : "Light";
      button.setAttribute("aria-label", `Switch to the ${other} theme`);
    }
    changed();
  };
  show();
  if (button) {
    button.hidden = false;
    button.addEventListener("click", () => {
      theme = theme === "dark" ? "light" : "dark";
      keep(theme);
      show();
    });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (stored() === null) {
      theme = system();
      show();
    }
  });
}
