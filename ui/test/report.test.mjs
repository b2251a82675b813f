// The report as its reader meets it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { comesTrue, open, picture, report, skip } from "./browser.mjs";

const path = skip ? "" : report();
const wide = { viewport: { width: 1400, height: 900 } };
const narrow = { viewport: { width: 390, height: 844 }, hasTouch: true };

/** Pixels of a canvas that differ from its first: a blank one has none. */
function inked(canvas) {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  let count = 0;
  for (let i = 4; i < data.length; i += 4) {
    if (data[i] !== data[0] || data[i + 1] !== data[1] || data[i + 3] !== data[3]) count++;
  }
  return count;
}

/** Opens every part of the page. */
async function unfold(page) {
  await page.waitForSelector("html.ready");
  await page.evaluate(() => {
    for (const part of document.querySelectorAll("details.exp")) part.open = true;
  });
}

async function drawn(page) {
  await unfold(page);
  const figures = page.locator("figure[data-figure]");
  const count = await figures.count();
  const all = async () => (await page.locator("figure.is-live").count()) === count;
  assert.ok(await comesTrue(all), "a figure is not drawn");
  for (let i = 0; i < count; i++) {
    const figure = figures.nth(i);
    const id = await figure.getAttribute("id");
    const canvas = figure.locator("canvas");
    const plots = 1 + (await figure.locator(".panel").count());
    assert.equal(await canvas.count(), plots, `${id} lacks a canvas`);
    for (const one of await canvas.all()) {
      assert.ok((await one.evaluate(inked)) > 500, `${id} is blank`);
    }
  }
  return count;
}

/** Elements of the first screen whose text is wider than they are. */
function cut() {
  const wide = (e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflow !== "visible";
  const outside = (e) => {
    const box = e.getBoundingClientRect();
    return box.width > 0 && (box.left < -1 || box.right > document.documentElement.clientWidth + 1);
  };
  const texts = document.querySelectorAll(
    ".masthead *, .portrait text, .finds *, .map th, .map td, .map td span, .fold, .say",
  );
  return [...texts].filter((e) => wide(e) || outside(e)).map((e) => e.textContent);
}

/** Names that stand on a neighbouring cell. */
function overlapping() {
  const rows = [...document.querySelectorAll(".toll tbody tr:not(.g):not(.one)")];
  return rows.filter((row) => {
    const [name, first] = [row.querySelector("th a"), row.querySelector("td span")];
    if (!name || !first) return false;
    const [a, b] = [name.getBoundingClientRect(), first.getBoundingClientRect()];
    return a.right > b.left && a.bottom > b.top && b.bottom > a.top;
  }).map((row) => row.textContent);
}

for (const [width, height] of [[1440, 900], [1280, 800], [390, 844]]) {
  test(`first screen, ${width} x ${height}: grade, machine, findings, map`, { skip }, async () => {
    const options = { viewport: { width, height }, colorScheme: "light" };
    await open(path, options, async (page, faults) => {
      await page.waitForSelector("html.ready");
      const bottom = async (selector) => {
        const box = await page.locator(selector).first().boundingBox();
        assert.ok(box, `${selector} is not there`);
        return box.y + box.height;
      };
      assert.match(await page.locator(".grade > b").textContent(), /^[A-D]$/);
      assert.ok((await bottom(".grade")) < height);
      const portrait = width < 640 ? ".portrait svg.narrow" : ".portrait svg.wide";
      assert.ok((await bottom(portrait)) < height, "the portrait is not whole");
      assert.ok((await bottom(".finds li")) < height, "no finding is on the first screen");
      const count = await page.locator(".finds li").count();
      assert.ok(count >= 1 && count <= 10);
      if (width > 640) {
        assert.ok((await bottom(".finds")) < height, "the findings are not whole");
        assert.ok((await bottom("table.toll >> nth=-1")) <= height, "the map is not whole");
      }
      assert.deepEqual(await page.evaluate(cut), [], "text is cut");
      assert.deepEqual(await page.evaluate(overlapping), [], "a name stands on a number");
      await fits(page);
      await picture(page, `first-${width}`, { fullPage: false });
      assert.deepEqual(faults, []);
    });
  });
}

test("few words until something is opened", { skip }, async () => {
  await open(path, wide, async (page) => {
    const words = await page.evaluate(() => document.body.innerText.split(/\s+/).length);
    assert.ok(words < 3000, `${words} words`);
    assert.equal(await page.locator("canvas").count(), 0, "a figure is drawn that nobody sees");
  });
});

test("the line under the map says what a cell is, for pointer and keys", { skip }, async () => {
  await open(path, wide, async (page, faults) => {
    await page.waitForSelector("html.ready");
    const say = page.locator("#say");
    const hint = await say.textContent();
    const cells = page.locator(".toll td[aria-label]");
    await cells.nth(1).hover();
    assert.match(await say.textContent(), /95 %|no interval/);
    await page.mouse.move(2, 2);
    assert.equal(await say.textContent(), hint);
    await cells.first().focus();
    const first = await say.textContent();
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await say.textContent(), first);
    await page.keyboard.press("ArrowLeft");
    assert.equal(await say.textContent(), first);
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await say.textContent(), first);
    assert.deepEqual(faults, []);
  });
});

test("a finding leads to its experiment, and opens it", { skip }, async () => {
  await open(path, wide, async (page, faults) => {
    await page.waitForSelector("html.ready");
    const link = page.locator(".finds a").first();
    const target = (await link.getAttribute("href")).slice(1);
    const part = page.locator(`details.exp:has([id="${target}"])`);
    assert.equal(await part.evaluate((e) => e.open), false);
    await link.click();
    assert.ok(await comesTrue(() => part.evaluate((e) => e.open)), "it stays closed");
    assert.deepEqual(faults, []);
  });
});

async function fits(page) {
  const [content, view] = await page.evaluate(() => {
    const root = document.documentElement;
    return [root.scrollWidth, root.clientWidth];
  });
  assert.ok(content <= view, `page is ${content} px wide in a window of ${view} px`);
}

test("wide: toll map and every figure are drawn", { skip }, async () => {
  await open(path, { ...wide, colorScheme: "light" }, async (page, faults) => {
    assert.ok((await drawn(page)) >= 1);
    assert.ok((await page.locator(".toll td[aria-label]").count()) >= 5);
    assert.ok((await page.locator(".toll td.b").count()) >= 1, "no cheapest cell is marked");
    assert.ok((await page.locator(".chart .s").count()) >= 2, "no curve of cost over bytes");
    await fits(page);
    await picture(page, "wide-light");
    assert.deepEqual(faults, []);
  });
});

test("hover and arrow keys read a point", { skip }, async () => {
  await open(path, wide, async (page, faults) => {
    await drawn(page);
    // A figure of curves: there every point has an interval.
    const figure = page.locator("figure.is-live:has(.u-cursor-x)").first();
    await figure.scrollIntoViewIfNeeded();
    const over = figure.locator(".u-over").first();
    const readout = figure.locator(".readout");
    const hint = await readout.textContent();
    const box = await over.boundingBox();
    let read = hint;
    for (let step = 0; step < 100 && read === hint; step++) {
      const [across, down] = [(step % 10) / 10 + 0.05, Math.floor(step / 10) / 10 + 0.05];
      await page.mouse.move(box.x + box.width * across, box.y + box.height * down);
      read = await readout.textContent();
    }
    assert.match(read, /n \d+/);
    assert.match(read, /…/);
    assert.match(read, /clean|disturbed|CONTAMINATED/);
    await picture(page, "hover", { fullPage: false });
    await page.mouse.move(2, 2);
    await figure.locator(".area").first().focus();
    await page.keyboard.press("ArrowRight");
    const first = await readout.textContent();
    await page.keyboard.press("ArrowRight");
    assert.match(first, /n \d+/);
    assert.notEqual(await readout.textContent(), first);
    assert.deepEqual(faults, []);
  });
});

test("series can be hidden, the axis zoomed and put back", { skip }, async () => {
  await open(path, wide, async (page, faults) => {
    await drawn(page);
    const figure = page.locator("figure.is-live:has(.u-cursor-x):has(.toggle)").first();
    await figure.scrollIntoViewIfNeeded();
    const before = await figure.locator("canvas").evaluate(inked);
    const toggle = figure.locator(".toggle").first();
    await toggle.click();
    assert.equal(await toggle.getAttribute("aria-pressed"), "false");
    const redrawn = async () => (await figure.locator("canvas").evaluate(inked)) !== before;
    assert.ok(await comesTrue(redrawn), "the series is still drawn");
    const box = await figure.locator(".u-over").boundingBox();
    const middle = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.3, middle);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, middle, { steps: 4 });
    await page.mouse.up();
    const reset = figure.locator(".reset");
    await reset.waitFor({ state: "visible" });
    assert.equal(await figure.locator(".ring").isVisible(), false, "a point is marked off its place");
    await picture(page, "zoomed", { fullPage: false });
    await reset.click();
    assert.ok(await reset.isHidden());
    assert.deepEqual(faults, []);
  });
});

test("panels follow the cursor and the zoom of their figure", { skip }, async () => {
  await open(path, wide, async (page, faults) => {
    await drawn(page);
    const figure = page.locator("figure:has(.panel)").first();
    if ((await figure.count()) === 0) return;
    await figure.scrollIntoViewIfNeeded();
    const plots = await figure.locator(".u-over").all();
    assert.ok(plots.length >= 2);
    const boxes = await Promise.all(plots.map((plot) => plot.boundingBox()));
    for (const box of boxes) {
      assert.ok(Math.abs(box.x - boxes[0].x) < 1, "plots begin at one place");
      assert.ok(Math.abs(box.width - boxes[0].width) < 1, "plots are equally wide");
    }
    const last = boxes[boxes.length - 1];
    await page.mouse.move(last.x + last.width / 2, last.y + last.height / 2);
    const across = (plot) =>
      plot.locator(".u-cursor-x").evaluate((line) => line.getBoundingClientRect().x);
    let places = [];
    const together = async () => {
      places = await Promise.all(plots.map(across));
      // That of the plot under the pointer is where the pointer is.
      return places.every((place) => Math.abs(place - (last.x + last.width / 2)) < 1.5);
    };
    assert.ok(await comesTrue(together), String(places));
    const canvas = figure.locator("canvas").first();
    const before = await canvas.evaluate(inked);
    await page.mouse.down();
    await page.mouse.move(last.x + last.width * 0.8, last.y + last.height / 2, { steps: 4 });
    await page.mouse.up();
    await figure.locator(".reset").waitFor({ state: "visible" });
    const zoomed = async () => (await canvas.evaluate(inked)) !== before;
    assert.ok(await comesTrue(zoomed), "the figure is not zoomed");
    await picture(page, "panels", { fullPage: false });
    await figure.locator(".reset").click();
    assert.ok(await figure.locator(".reset").isHidden());
    assert.deepEqual(faults, []);
  });
});

test("dark and light", { skip }, async () => {
  await open(path, { ...wide, colorScheme: "light" }, async (page, faults) => {
    await drawn(page);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    const button = page.locator("#theme");
    assert.equal(await button.textContent(), "Dark");
    await button.click();
    assert.notEqual(await ground(), light);
    assert.equal(await button.textContent(), "Light");
    await page.waitForTimeout(200);
    await picture(page, "wide-dark");
    await button.click();
    assert.equal(await ground(), light);
    assert.deepEqual(faults, []);
  });
});

for (const colorScheme of ["light", "dark"]) {
  test(`phone, ${colorScheme}: nothing scrolls sideways but tables`, { skip }, async () => {
    await open(path, { ...narrow, colorScheme }, async (page, faults) => {
      await drawn(page);
      await fits(page);
      await picture(page, `narrow-${colorScheme}`);
      assert.deepEqual(faults, []);
    });
  });
}

for (const [name, view] of [["wide", wide], ["narrow", narrow]]) {
  test(`without JavaScript, ${name}: the answer, the picture and every table`, { skip }, async () => {
    await open(path, { ...view, javaScriptEnabled: false }, async (page, faults) => {
      assert.ok(await page.locator(".toll").first().isVisible());
      assert.ok(await page.locator(".chart").isVisible());
      assert.ok(await page.locator("#theme").isHidden());
      const part = page.locator("details.exp:has(.points)").first();
      await part.locator("> summary").click();
      assert.ok(await part.locator(".points").first().isVisible());
      await picture(page, `no-script-${name}`);
      assert.deepEqual(faults, []);
    });
  });
}

test("without JavaScript, dark follows the system", { skip }, async () => {
  const options = { ...wide, javaScriptEnabled: false, colorScheme: "dark" };
  await open(path, options, async (page, faults) => {
    await picture(page, "no-script-dark");
    const colours = await page.evaluate(() => {
      const text = document.querySelector(".chart text");
      const { color, backgroundColor } = getComputedStyle(document.body);
      return { text: getComputedStyle(text).fill, color, backgroundColor };
    }).catch(() => null);
    if (colours) assert.notEqual(colours.text, colours.backgroundColor);
    assert.deepEqual(faults, []);
  });
});

/** Smallest size of visible text, px on paper. */
function smallest() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let least = [Infinity, ""];
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const e = text.parentElement;
    if (!text.data.trim() || e.closest("script, style, noscript") || !e.checkVisibility()) continue;
    const scale = e.ownerSVGElement ? e.getScreenCTM().a : 1;
    const size = parseFloat(getComputedStyle(e).fontSize) * scale;
    if (size < least[0]) least = [size, text.data];
  }
  return least;
}

test("in print: light, the answer on paper, nothing under 7 pt", { skip }, async () => {
  // As wide as A4 across, without its margins.
  const paper = { viewport: { width: 1047, height: 720 }, colorScheme: "dark" };
  await open(path, paper, async (page, faults) => {
    await page.waitForSelector("html.ready");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground, "rgb(255, 255, 255)");
    assert.ok(await page.locator(".toll").first().isVisible());
    assert.ok(await page.locator(".more").isHidden());
    const [size, text] = await page.evaluate(smallest);
    assert.ok(size >= (7 / 72) * 96, `"${text}" has ${size} px`);
    await page.emulateMedia({ media: null });
    const file = new URL("../test-results/report.pdf", import.meta.url).pathname;
    await page.pdf({ path: file, preferCSSPageSize: true });
    assert.deepEqual(faults, []);
  });
});

test("an incomplete run says so first", { skip: skip || Boolean(process.env.REPORT_HTML) }, async () => {
  await open(report("--incomplete"), narrow, async (page, faults) => {
    const alarms = await page.locator(".alarm").allTextContents();
    assert.ok(alarms.some((text) => text.startsWith("incomplete: stopped by SIGINT")));
    await fits(page);
    await picture(page, "incomplete", { fullPage: false });
    assert.deepEqual(faults, []);
  });
});

for (const [name, view] of [["wide", wide], ["narrow", narrow]]) {
  test(`traces of a run, ${name}: closed until opened, then a timeline`, { skip: skip || Boolean(process.env.REPORT_HTML) }, async () => {
    await open(report("--traces"), view, async (page, faults) => {
      await unfold(page);
      const traces = page.locator("details.trace");
      assert.equal(await traces.count(), 2);
      assert.equal(await page.locator(".tl-live").count(), 0, "nothing is made before it is opened");
      await traces.nth(1).locator("> summary").click();
      await traces.nth(1).locator(".tl-live .tl-stage canvas").waitFor();
      assert.equal(await page.locator(".tl-live").count(), 1);
      assert.ok(await traces.nth(1).locator(".tl-static").isHidden());
      assert.match(await traces.nth(1).locator("> .note").first().textContent(), /^The first .* of the trace; all of it: pontage trace timeline runs/);
      const colours = await traces.nth(1).locator(".tl-stage canvas").evaluate(async (canvas) => {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size;
      });
      assert.ok(colours > 10, `only ${colours} colours`);
      // Closed and opened again it is the same one.
      await traces.nth(1).locator("> summary").click();
      await traces.nth(1).locator("> summary").click();
      await traces.nth(0).locator("> summary").click();
      await traces.nth(0).locator(".tl-live canvas").first().waitFor();
      assert.equal(await page.locator(".tl-live").count(), 2);
      const headings = await page.locator(".tl-dialog h2").evaluateAll((all) => all.map((h) => h.id));
      assert.equal(new Set(headings).size, headings.length, "an id is used twice");
      await fits(page);
      await picture(page, `report-trace-${name}`);
      assert.deepEqual(faults, []);
    });
  });
}

test("traces of a run without JavaScript: load and table", { skip: skip || Boolean(process.env.REPORT_HTML) }, async () => {
  await open(report("--traces"), { ...wide, javaScriptEnabled: false }, async (page, faults) => {
    await page.locator("details.exp:has(details.trace) > summary").first().click();
    await page.locator("details.trace > summary").first().click();
    assert.ok(await page.locator(".tl-static svg").first().isVisible());
    assert.deepEqual(faults, []);
  });
});
