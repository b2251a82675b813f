// Numbers as the static half of the page writes them (crates/report/src/format.rs).
import type { Axis, Unit } from "./data";

const SYMBOL: Record<Unit, string> = {
  count: "",
  bytes: "B",
  nanoseconds: "ns",
  gigabytes_per_second: "GB/s",
  megahertz: "MHz",
  cycles: "cycles",
  ratio: "",
  word: "",
};

export function significant(value: number, digits: number): string {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(9, Math.max(0, digits - 1 - magnitude)));
}

function timeScale(ns: number): [number, string] {
  const size = Math.abs(ns);
  if (size >= 0.9995e9) return [1e9, "s"];
  if (size >= 0.9995e6) return [1e6, "ms"];
  if (size >= 0.9995e3) return [1e3, "µs"];
  return [1, "ns"];
}

export function bytes(value: number): string {
  for (const [name, power] of [["GiB", 30], ["MiB", 20], ["KiB", 10]] as const) {
    const scale = 2 ** power;
    if (value >= scale) {
      return `${value % scale === 0 ? value / scale : (value / scale).toFixed(1)} ${name}`;
    }
  }
  return `${Math.round(value)} B`;
}

export function quantity(value: number, unit: Unit, digits: number): string {
  if (unit === "bytes" && value >= 0) return bytes(value);
  if (unit === "nanoseconds") {
    const [scale, name] = timeScale(value);
    return `${significant(value / scale, digits)} ${name}`;
  }
  if (unit === "count" && Number.isInteger(value)) return String(value);
  return `${significant(value, digits)} ${SYMBOL[unit]}`.trim();
}

/** Label of a tick: short, with a unit only where ticks differ in it. */
export function tick(value: number, axis: Axis): string {
  if (axis.scale === "words") return axis.words[value] ?? "";
  if (axis.unit === "bytes" && value >= 0) return bytes(value);
  if (axis.unit === "nanoseconds") {
    const [scale, name] = timeScale(value);
    return `${trimmed(value / scale)} ${name}`;
  }
  return trimmed(value);
}

function trimmed(value: number): string {
  const text = significant(value, 4);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A place on the x axis in words. */
export function place(value: number, axis: Axis): string {
  if (axis.scale === "words") return axis.words[value] ?? "";
  return `${axis.label} ${quantity(value, axis.unit, 4)}`;
}
