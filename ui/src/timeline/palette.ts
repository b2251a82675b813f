// A task keeps its colour from page to page: the colour follows from its name,
// and the shade from its pid. Hues are those of the report's series, which
// people who see colours differently tell apart.

import type { TaskHead } from "./decode";

/** 0xAABBGGRR, as a little-endian machine wants it in a canvas. */
export type Packed = number;

export interface Palette {
  css: Record<Role, string>;
  packed: Record<Role, Packed>;
  /** By task. */
  tasks: { css: string; packed: Packed; ink: string }[];
}

const ROLES = {
  page: "page", raised: "raised", ink: "ink", muted: "muted", soft: "soft", grid: "grid",
  rule: "rule", link: "link", alarm: "knee", wait: "wait", hard: "c1", soft_irq: "c3", moment: "c5",
  other: "rule",
} as const;
export type Role = keyof typeof ROLES;

const HUES = ["c0", "c1", "c2", "c3", "c4", "c5", "c7", "q3"];
/** Shares of the page's colour in a task's: shades that stay apart. */
const SHADES = [0, 0.2, 0.4];

/** FNV-1a. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return (value ^ (value >>> 15)) >>> 0;
}

type Colour = [number, number, number];

function parse(text: string): Colour {
  const part = (at: number): number => parseInt(text.slice(at, at + 2), 16) || 0;
  return [part(1), part(3), part(5)];
}

function mixed(a: Colour, b: Colour, share: number): Colour {
  return a.map((value, i) => Math.round(value + ((b[i] as number) - value) * share)) as Colour;
}

function packed([red, green, blue]: Colour): Packed {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function css([red, green, blue]: Colour): string {
  return `rgb(${red},${green},${blue})`;
}

function linear(value: number): number {
  const share = value / 255;
  return share <= 0.04 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Black or white, whichever is easier to read on it. */
export function inkOn([red, green, blue]: Colour): string {
  const light = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  return light > 0.179 ? "#000" : "#fff";
}

export function palette(tasks: TaskHead[]): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): Colour => parse(style.getPropertyValue(`--${name}`).trim());
  const page = of("page");
  const waiting = mixed(of("muted"), page, 0.35);
  const roles = Object.entries(ROLES).map(([role, name]) => [role, name === "wait" ? waiting : of(name)] as const);
  const hues = HUES.map(of);
  return {
    css: Object.fromEntries(roles.map(([role, c]) => [role, css(c)])) as Record<Role, string>,
    packed: Object.fromEntries(roles.map(([role, c]) => [role, packed(c)])) as Record<Role, Packed>,
    tasks: tasks.map(([pid, name]) => {
      // Workers of one kind are one family: `kworker/0:1`, `kworker/1:2`.
      const family = name.replace(/[\d/:-].*$/, "") || name;
      const hue = hues[hash(family) % hues.length] as Colour;
      const colour = mixed(hue, page, SHADES[hash(`${name}${pid}`) % SHADES.length] as number);
      return { css: css(colour), packed: packed(colour), ink: inkOn(colour) };
    }),
  };
}
