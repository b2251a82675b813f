// The timeline as its reader meets it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { comesTrue, example, open, picture, skip, temporary } from "./browser.mjs";

const wide = { viewport: { width: 1600, height: 900 } };
const narrow = { viewport: { width: 390, height: 844 }, hasTouch: true, deviceScaleFactor: 2 };

/** The page of a made-up capture; TIMELINE_HTML instead, to look at a real one. */
function timeline(...words) {
  const path = temporary("timeline.html");
  execFileSync(example("timeline"), [path, ...words], { stdio: ["ignore", "inherit", "ignore"] });
  return path;
}

const made = skip ? "" : timeline("20000", "4", "--gaps");
const path = process.env.TIMELINE_HTML || made;

async function ready(page) {
  await page.waitForSelector("html.ready");
  assert.equal(await page.locator(".tl-failed").count(), 0, "the timeline failed");
  await page.waitForSelector(".tl-live canvas");
}

/** What is drawn in the lanes, as a number that changes with it. */
function drawn(page) {
  return page.locator(".tl-stage canvas").evaluate(async (canvas) => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let sum = 0;
    for (let i = 0; i < data.length; i += 4) sum = (Math.imul(sum, 31) + data[i] + data[i + 1] * 3 + data[i + 2] * 7) | 0;
    return sum;
  });
}

/**
 * The heading of the summary, when nothing moves any more. A page's timers end in
 * their order, however late: one that begins later and is longer ends behind the one
 * that sums up.
 */
async function window_(page) {
  await page.evaluate(() => new Promise((done) => setTimeout(done, 250)));
  return page.locator(".tl-panel summary b").textContent();
}

const box = (page) => page.locator(".tl-stage canvas").boundingBox();

for (const [name, view] of [["wide", wide], ["narrow", narrow]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`timeline, ${name} and ${colorScheme}: drawn, nothing fetched, nothing scrolls sideways`, { skip }, async () => {
      await open(path, { ...view, colorScheme }, async (page, faults) => {
        await ready(page);
        const colours = await page.locator(".tl-stage canvas").evaluate((canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return new Set(new Uint32Array(data.buffer)).size;
        });
        assert.ok(colours > 10, `only ${colours} colours`);
        const [content, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(content <= seen, `page is ${content} px wide in a window of ${seen} px`);
        assert.ok(await page.locator(".tl-static").isHidden());
        await page.waitForTimeout(200);
        await picture(page, `timeline-${name}-${colorScheme}`, { fullPage: false });
        assert.deepEqual(faults, []);
      });
    });
  }
}

test("timeline: keys zoom, pan, scroll, and go back", { skip }, async () => {
  await open(made, wide, async (page, faults) => {
    await ready(page);
    const whole = await window_(page);
    const first = await drawn(page);
    await page.locator(".tl-stage canvas").focus();
    for (const key of ["w", "w", "+", "w"]) await page.keyboard.press(key);
    const near = await window_(page);
    assert.notEqual(near, whole);
    const before = await drawn(page);
    assert.notEqual(before, first);
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await drawn(page), before);
    assert.equal(await window_(page), near, "moving must not zoom");
    await page.keyboard.press("a");
    assert.equal(await drawn(page), before);
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await drawn(page), before);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("0");
    assert.equal(await window_(page), whole);
    await page.keyboard.press("?");
    const help = page.locator("dialog[open]");
    assert.match(await help.textContent(), /Shift\+drag/);
    await picture(page, "timeline-help", { fullPage: false });
    await page.keyboard.press("Escape");
    assert.deepEqual(faults, []);
  });
});

test("timeline: wheel zooms at the pointer, a slice is described, two marks tell the time between", { skip }, async () => {
  await open(made, wide, async (page, faults) => {
    await ready(page);
    const area = await box(page);
    const [x, y] = [area.x + 700, area.y + 26 + 24 + 14];
    await page.mouse.move(x, y);
    for (let i = 0; i < 14; i++) await page.mouse.wheel(0, -200);
    await page.mouse.move(x + 2, y);
    const tip = page.locator(".tl-tip");
    await tip.waitFor({ state: "visible" });
    assert.match(await tip.textContent(), /CPU 0/);
    assert.match(await tip.textContent(), /ran|idle/);
    await page.mouse.click(x + 2, y);
    await picture(page, "timeline-near", { fullPage: false });
    assert.match(await page.locator(".tl-details").textContent(), /CPU 0/);
    await page.keyboard.press("1");
    await page.mouse.move(x + 300, y);
    await page.keyboard.press("2");
    assert.match(await window_(page), /^A to B: [\d.]+ (ns|µs|ms)$/);
    await page.waitForTimeout(100);
    await picture(page, "timeline-marks", { fullPage: false });
    await page.keyboard.press("Escape");
    assert.match(await window_(page), /^In view/);
    assert.deepEqual(faults, []);
  });
});

test("timeline: dragging the lanes pans, dragging the ruler selects, the overview moves the window", { skip }, async () => {
  await open(made, wide, async (page, faults) => {
    await ready(page);
    const area = await box(page);
    await page.locator(".tl-stage canvas").focus();
    for (let i = 0; i < 6; i++) await page.keyboard.press("w");
    const before = await drawn(page);
    const drag = async (x, y, dx) => {
      await page.mouse.move(area.x + x, area.y + y);
      await page.mouse.down();
      await page.mouse.move(area.x + x + dx, area.y + y, { steps: 3 });
      await page.mouse.up();
      await page.mouse.move(area.x + 20, area.y + 10);
    };
    await drag(800, 60, 100);
    const moved = await drawn(page);
    assert.notEqual(moved, before);
    await drag(800, 60, -100);
    assert.equal(await drawn(page), before);
    await drag(500, 10, 300);
    assert.match(await window_(page), /^A to B/);
    const strip = await page.locator(".tl-over").boundingBox();
    await page.mouse.click(strip.x + 300, strip.y + 20);
    assert.notEqual(await drawn(page), moved);
    assert.deepEqual(faults, []);
  });
});

test("timeline: search shows the tasks that match, and goes from place to place", { skip }, async () => {
  await open(made, wide, async (page, faults) => {
    await ready(page);
    const field = page.locator(".tl-search");
    await page.locator(".tl-stage canvas").focus();
    await page.keyboard.press("/");
    await page.keyboard.type("matrix");
    assert.equal(await page.locator(".tl-found").textContent(), "6 tasks");
    await window_(page);
    const names = await page.locator(".tl-table tbody button").allTextContents();
    assert.ok(names.length === 6 && names.every((name) => name.startsWith("matrix")), String(names));
    await page.keyboard.press("Enter");
    assert.match(await page.locator(".tl-details").textContent(), /^matrix/);
    const first = await page.locator(".tl-details").textContent();
    await page.keyboard.press("Enter");
    assert.notEqual(await page.locator(".tl-details").textContent(), first);
    await page.keyboard.press("Shift+Enter");
    assert.equal(await page.locator(".tl-details").textContent(), first);
    await picture(page, "timeline-search", { fullPage: false });
    await field.fill("tick_nohz");
    assert.equal(await page.locator(".tl-found").textContent(), "0 tasks, 1 event");
    assert.deepEqual(faults, []);
  });
});

test("timeline: the table sorts, and says how; groups close", { skip }, async () => {
  await open(made, wide, async (page, faults) => {
    await ready(page);
    await window_(page);
    const waits = () => page.locator(".tl-table tbody tr td:nth-child(6)").allTextContents();
    const before = await waits();
    await page.locator(".tl-table th button", { hasText: /^Waited/ }).click();
    const sorted = await waits();
    assert.notDeepEqual(sorted, before);
    const ms = sorted.map((text) => parseFloat(text));
    assert.deepEqual(ms, [...ms].sort((a, b) => b - a));
    assert.equal(await page.locator("th[aria-sort=descending]").count(), 1);
    const tasks = page.locator(".tl-group", { hasText: "Tasks" });
    const open_ = await drawn(page);
    await tasks.click();
    assert.equal(await tasks.getAttribute("aria-expanded"), "false");
    assert.notEqual(await drawn(page), open_);
    assert.deepEqual(faults, []);
  });
});

test("timeline: Perfetto is another site, opened by a press only", { skip }, async () => {
  await open(made, wide, async (page, faults) => {
    await ready(page);
    await page.getByRole("button", { name: "Open the same trace in Perfetto" }).click();
    const dialog = page.locator("dialog[open]");
    assert.match(await dialog.textContent(), /pontage trace export .* --format perfetto/);
    const link = dialog.locator("a");
    assert.equal(await link.getAttribute("href"), "https://ui.perfetto.dev/");
    assert.match(await link.getAttribute("rel"), /noopener/);
    await picture(page, "timeline-perfetto", { fullPage: false });
    assert.deepEqual(faults, []);
  });
});

test("timeline, on a phone: a tap says what is there, two fingers zoom", { skip }, async () => {
  await open(made, narrow, async (page, faults) => {
    await ready(page);
    const area = await box(page);
    await page.touchscreen.tap(area.x + 250, area.y + 26 + 24 + 14);
    await page.locator(".tl-tip").waitFor({ state: "visible" });
    const whole = await window_(page);
    await page.locator(".tl-stage canvas").evaluate((canvas) => {
      const { left, top } = canvas.getBoundingClientRect();
      const touch = (type, id, x) => canvas.dispatchEvent(new PointerEvent(type, {
        pointerId: id, pointerType: "touch", clientX: left + x, clientY: top + 60, button: 0, bubbles: true,
      }));
      canvas.setPointerCapture = () => {};
      touch("pointerdown", 1, 200);
      touch("pointerdown", 2, 240);
      for (let i = 0; i < 10; i++) touch("pointermove", 2, 240 + i * 10);
      touch("pointerup", 2, 330);
      touch("pointerup", 1, 200);
    });
    assert.notEqual(await window_(page), whole);
    await picture(page, "timeline-touch", { fullPage: false });
    assert.deepEqual(faults, []);
  });
});

test("timeline in a longer page: the wheel is the page's until the lanes have the focus", { skip }, async () => {
  await open(timeline("5000", "2", "--section"), wide, async (page, faults) => {
    await ready(page);
    const area = await box(page);
    const first = await drawn(page);
    await page.mouse.move(area.x + 700, area.y + 60);
    await page.mouse.wheel(0, 200);
    await page.waitForFunction(() => scrollY > 0);
    await page.mouse.move(2, 2);
    assert.equal(await drawn(page), first);
    await page.evaluate(() => scrollTo(0, 0));
    await page.mouse.click(area.x + 700, area.y + 60);
    const clicked = await drawn(page);
    await page.mouse.wheel(0, -200);
    assert.ok(await comesTrue(async () => (await drawn(page)) !== clicked), "the lanes are not zoomed");
    // Two frames more: what the page had to scroll by, it has.
    await drawn(page);
    assert.equal(await page.evaluate(() => scrollY), 0);
    await picture(page, "timeline-section");
    assert.deepEqual(faults, []);
  });
});

test("timeline without JavaScript: load and table", { skip }, async () => {
  await open(path, { ...wide, javaScriptEnabled: false }, async (page, faults) => {
    assert.ok(await page.locator(".tl-static svg").isVisible());
    assert.ok((await page.locator(".tl-static tbody tr").count()) >= 5);
    assert.ok(await page.locator("#theme").isHidden());
    await picture(page, "timeline-no-script");
    assert.deepEqual(faults, []);
  });
});

// How long it takes is printed and not judged: that is the machine's matter. That a
// frame costs no more than with few events, timeline-parts.test.mjs counts.
test("timeline: a million events open and pan", { skip }, async (t) => {
  const million = timeline("1000000", "8");
  await open(million, wide, async (page, faults) => {
    await ready(page);
    const opened = Number(await page.locator("section.tl").getAttribute("data-opened-ms"));
    const pan = (zoom) => page.locator(".tl-stage canvas").evaluate(async (canvas, zoom) => {
      const { left, top } = canvas.getBoundingClientRect();
      const wheel = (deltaX, deltaY) => canvas.dispatchEvent(new WheelEvent("wheel", {
        deltaX, deltaY, clientX: left + 800, clientY: top + 60, cancelable: true,
      }));
      for (let i = 0; i < zoom; i++) wheel(0, -200);
      const frames = 60;
      let [draws, kept] = [0, 0];
      // Every fourth row of pixels: all of them would take most of the frame.
      const context = canvas.getContext("2d");
      const picture = () => {
        let sum = 0;
        const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
        const pixels = new Uint32Array(data.buffer);
        for (let i = 0; i < pixels.length; i += i % width === width - 1 ? 3 * width + 1 : 1) {
          sum = (Math.imul(sum, 31) + pixels[i]) | 0;
        }
        return sum;
      };
      const begin = performance.now();
      let reading = 0;
      let last = 0;
      await new Promise((done) => {
        const step = () => {
          const before = performance.now();
          const now = picture();
          reading += performance.now() - before;
          // The frame draws what the wheel of the frame before has asked for.
          if (draws > 0 && now === last) kept++;
          last = now;
          if (draws++ === frames) return done();
          wheel(draws % 40 < 20 ? 9 : -9, 0);
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      });
      return { rate: (frames / (performance.now() - begin - reading)) * 1000, kept };
    }, zoom);
    const pans = [];
    for (const zoom of [1, 6, 8]) pans.push(await pan(zoom));
    const rates = pans.map(({ rate }) => rate);
    t.diagnostic(`1,000,000 events: opened after ${opened} ms; panned at ${rates.map((r) => r.toFixed(0)).join(", ")} frames a second (zoomed in 1, 7, 15 steps)`);
    assert.ok(opened > 0, "it does not say when it could be used");
    assert.deepEqual(pans.map(({ kept }) => kept), [0, 0, 0], "frames that show what the last one did");
    await picture(page, "timeline-million", { fullPage: false });
    assert.deepEqual(faults, []);
  });
});
