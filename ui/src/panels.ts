// Smaller plots under a figure of curves, over its x axis: one cursor, one zoom.
import uPlot from "uplot";
import type { Axis } from "./data";
import { type View, marks, points, shades } from "./paint";
import {
  FOOT_PX,
  PANEL_TICKS,
  type Shared,
  X_AXIS_PX,
  band,
  curveAxes,
  data,
  distribution,
  element,
  nameColumn,
  seriesOptions,
  xScale,
} from "./plot";

const HEIGHT_PX = 92;

let groups = 0;

interface Place {
  y: Axis;
  view: View;
  area: HTMLElement;
}

export class Panels {
  readonly elements: HTMLElement[] = [];
  /** Cursor options that tie the plots of this figure together; none alone. */
  readonly sync: Pick<uPlot.Cursor, "sync">;
  plots: uPlot[] = [];
  private readonly places: Place[];

  constructor(main: View) {
    const { figure } = main;
    this.sync = figure.below.length === 0 ? {} : { sync: syncing(`figure-${groups++}`) };
    this.places = figure.below.map(({ y, series }) => {
      const label = element("p", "ylabel");
      label.textContent = y.label;
      const area = element("div", "area panel");
      this.elements.push(label, area);
      // The list of what is shown is the figure's own: one legend for all.
      const view = { ...main, figure: { ...figure, y, series, below: [] }, bare: true };
      return { y, view, area };
    });
  }

  /** Draws all panels under `main`. */
  draw(shared: Shared, main: uPlot): void {
    for (const plot of this.plots) plot.destroy();
    this.plots = this.places.map(({ y, view, area }, i) => {
      const last = i === this.places.length - 1;
      const here: Shared = { ...shared, view, last };
      const plot = new uPlot(this.options(here, y, nameColumn(shared.view), main), data(view.figure), area);
      shared.view.shown.forEach((shown, s) => {
        for (const column of [1, 2, 3]) plot.setSeries(s * 3 + column, { show: shown });
      });
      return plot;
    });
    this.zoom(main);
  }

  redraw(): void {
    for (const plot of this.plots) plot.redraw(false, true);
  }

  /** Shows the stretch of the x axis that `main` shows. */
  zoom(main: uPlot): void {
    const { min, max } = main.scales["x"] ?? {};
    if (min == null || max == null) return;
    for (const plot of this.plots) plot.setScale("x", { min, max });
  }

  private options(shared: Shared, y: Axis, right: number, main: uPlot): uPlot.Options {
    const { view, width, last } = shared;
    return {
      width,
      height: HEIGHT_PX + (last ? X_AXIS_PX : FOOT_PX),
      padding: [4, right, last ? 0 : FOOT_PX, 0],
      legend: { show: false },
      cursor: {
        x: true,
        y: false,
        points: { show: false },
        drag: { x: true, y: false, dist: 8, setScale: false },
        ...this.sync,
      },
      scales: {
        // The range comes from the figure, which has made room already.
        x: { ...xScale(view.figure.x), range: (_u, min, max) => [min, max] },
        y: { ...distribution(y), range: () => y.range },
      },
      axes: curveAxes(shared, y, PANEL_TICKS),
      series: [{}, ...view.figure.series.flatMap((_, s) => seriesOptions(view, s, false))],
      bands: view.figure.series.map((_, s) => band(view, s)),
      hooks: {
        drawClear: [(u) => shades(u, view)],
        drawAxes: [(u) => marks(u, view)],
        draw: [(u) => points(u, view)],
        setSelect: [
          (u) => {
            // Dragging in a panel zooms the figure, and that one its panels.
            const { left, width } = u.select;
            if (width < 8) return;
            main.setScale("x", { min: u.posToVal(left, "x"), max: u.posToVal(left + width, "x") });
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    };
  }
}

/** Only the place on the x axis is shared: zooming goes through the figure. */
function syncing(key: string): uPlot.Cursor.Sync {
  return { key, setSeries: false, scales: ["x", null], filters: { pub: (type) => /^mouse(move|leave)$/.test(type) } };
}
