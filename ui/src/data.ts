// The data that crates/report writes into the page (src/html/data.rs).
import { unpack } from "./unpack";

export type Unit =
  | "count"
  | "bytes"
  | "nanoseconds"
  | "gigabytes_per_second"
  | "megahertz"
  | "cycles"
  | "ratio"
  | "word";

export interface Axis {
  label: string;
  unit: Unit;
  scale: "linear" | "log2" | "log10" | "words";
  range: [number, number];
  words: string[];
}

/** x, y, low, high, samples, coverage, flag (0 clean, 1 disturbed, 2 contaminated), remark */
export type Point = [number, number, number, number, number, number, 0 | 1 | 2, string];

export interface Series {
  name: string;
  colour: string;
  points: Point[];
}

export interface Mark {
  x: number;
  low: number;
  high: number;
  label: string;
  role: "reference" | "knee";
}

/** from, to, name */
export type Region = [number, number, string];

/** A further metric over the figure's x axis; series as in the figure. */
export interface Panel {
  y: Axis;
  series: Series[];
}

export interface Figure {
  title: string;
  x: Axis;
  y: Axis;
  series: Series[];
  marks: Mark[];
  regions: Region[];
  below: Panel[];
}

/** Figures of the page by id; none when the data are missing. */
export async function load(): Promise<Record<string, Figure>> {
  const text = document.getElementById("figures")?.textContent?.trim();
  if (!text) return {};
  const json = new TextDecoder().decode(await unpack(text));
  return JSON.parse(json) as Record<string, Figure>;
}
