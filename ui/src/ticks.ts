// Where an axis is ticked. Every split is drawn; `named` ones are labelled.
import type { Axis } from "./data";

export interface Ticks {
  values: number[];
  named: Set<number>;
}

export function ticks(axis: Axis, low: number, high: number, target: number): Ticks {
  if (axis.scale === "words") return all(axis.words.map((_, i) => i));
  if (axis.scale === "log2" && high / low >= 4) return log2(low, high, target);
  if (axis.scale === "log10" && high / low >= 5) return log10(low, high);
  return all(linear(low, high, target));
}

function all(values: number[]): Ticks {
  return { values, named: new Set(values) };
}

function linear(low: number, high: number, target: number): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / Math.max(1, target);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((m) => m * decade >= rough * 0.999) ?? 10) * decade;
  const values: number[] = [];
  const first = Math.ceil(low / step - 1e-9);
  // Far from zero a step may be lost in rounding: never more than asked for.
  const count = Math.min(100, Math.floor(high / step + 1e-9) - first);
  for (let i = 0; i <= count; i++) values.push((first + i) * step);
  return values;
}

function log2(low: number, high: number, target: number): Ticks {
  const first = Math.ceil(Math.log2(low) - 1e-9);
  const last = Math.floor(Math.log2(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / target));
  const values: number[] = [];
  const named = new Set<number>();
  for (let power = first; power <= last; power++) {
    values.push(2 ** power);
    if (((power % every) + every) % every === 0) named.add(2 ** power);
  }
  return { values, named };
}

function log10(low: number, high: number): Ticks {
  const decades = Math.log10(high / low);
  const digits = decades < 1.6 ? [1, 2, 3, 5, 7] : decades < 3.2 ? [1, 2, 5] : [1];
  const values: number[] = [];
  const named = new Set<number>();
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (let digit = 1; digit < 10; digit++) {
      const value = Number(`${digit}e${power}`);
      if (value < low * 0.9999 || value > high * 1.0001) continue;
      // Over many decades the lines between them are only grey.
      if (decades >= 3.2 && digit !== 1) continue;
      values.push(value);
      if (digits.includes(digit)) named.add(value);
    }
  }
  return { values, named };
}
