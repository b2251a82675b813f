// Time and pixels: which stretch of the capture is seen, and how it moves.
// Times are ns from the capture's begin.

/** Nobody can see less: events have whole nanoseconds. */
const LEAST_NS = 40;
/** How far past its ends the capture can be seen, of what is seen. */
const MARGIN = 0.02;

export class View {
  from = 0;
  span: number;

  constructor(
    readonly length: number,
    /** Pixels; may change. */
    public width: number,
  ) {
    this.length = Math.max(length, LEAST_NS);
    this.span = this.length;
    this.all();
  }

  get to(): number {
    return this.from + this.span;
  }

  get nsPerPixel(): number {
    return this.span / Math.max(1, this.width);
  }

  x(time: number): number {
    return (time - this.from) / this.nsPerPixel;
  }

  time(x: number): number {
    return this.from + x * this.nsPerPixel;
  }

  all(): void {
    this.show(-this.length * MARGIN, this.length * (1 + MARGIN));
  }

  show(from: number, to: number): void {
    this.span = Math.min(Math.max(to - from, LEAST_NS), this.length * (1 + 2 * MARGIN));
    this.from = from - (this.span - (to - from)) / 2;
    this.clamp();
  }

  /** Less than 1 zooms in; what is at `x` stays there. */
  zoom(factor: number, x: number): void {
    const kept = this.time(x);
    this.span = Math.min(Math.max(this.span * factor, LEAST_NS), this.length * (1 + 2 * MARGIN));
    this.from = kept - x * this.nsPerPixel;
    this.clamp();
  }

  pan(pixels: number): void {
    this.from += pixels * this.nsPerPixel;
    this.clamp();
  }

  centre(time: number): void {
    this.from = time - this.span / 2;
    this.clamp();
  }

  /** Whole pixels of the capture, so that columns do not flicker when it moves. */
  aligned(nsPerPixel: number): number {
    return Math.floor(this.from / nsPerPixel) * nsPerPixel;
  }

  private clamp(): void {
    const margin = Math.max(this.span, this.length * 0.001) * MARGIN;
    const last = this.length + margin - this.span;
    this.from = Math.max(Math.min(this.from, last), Math.min(-margin, last));
  }
}

const UNITS: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** A length with four digits: `12.35 µs`. */
export function duration(ns: number): string {
  const size = Math.abs(ns);
  const [scale, unit] = UNITS.find(([least]) => size >= least * 0.99995) ?? [1, "ns"];
  const value = ns / scale;
  const digits = scale === 1 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value) * 1.00005)));
  return `${value.toFixed(digits)} ${unit}`;
}

/** A moment to the nanosecond, digits in threes: `1.234 567 890 s`. */
export function moment(ns: number): string {
  const whole = Math.round(Math.abs(ns));
  const rest = String(whole % 1e9).padStart(9, "0");
  const sign = ns < 0 ? "-" : "";
  return `${sign}${Math.floor(whole / 1e9)}.${rest.replace(/(\d{3})(?=\d)/g, "$1 ")} s`;
}

export interface Ticks {
  /** What all labels count from; empty: the capture's begin. */
  base: string;
  at: { time: number; label: string }[];
}

/** Round times, `apart` pixels or more from each other. */
export function ticks(view: View, apart: number): Ticks {
  const least = view.nsPerPixel * apart;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, power * ([1, 2, 5].find((n) => n * power >= least) ?? 10));
  const [scale, unit] = UNITS.find(([size]) => step >= size) ?? [1, "ns"];
  // The unit above holds what is common to all labels.
  const above = scale * 1000;
  const base = scale === 1e9 ? 0 : Math.max(0, Math.floor(view.from / above) * above);
  const at = [];
  const last = Math.min(view.to, view.length);
  for (let n = Math.max(0, Math.ceil(view.from / step)); n * step <= last; n++) {
    const value = (n * step - base) / scale;
    at.push({ time: n * step, label: `${+value.toFixed(3)} ${unit}` });
  }
  return { base: base === 0 ? "" : `${based(base, above)} +`, at };
}

/** A moment without the digits below `unit`. */
function based(ns: number, unit: number): string {
  const [seconds, ...groups] = moment(ns).slice(0, -2).split(/[. ]/);
  const kept = groups.slice(0, Math.round((9 - Math.log10(unit)) / 3));
  return kept.length === 0 ? `${seconds} s` : `${seconds}.${kept.join(" ")} s`;
}
