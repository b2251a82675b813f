// What is committed under dist/ is what src/ gives.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { build } from "../build.mjs";

test("dist/ is built from src/", async () => {
  for (const [name, text] of Object.entries(await build())) {
    const committed = await readFile(new URL(`../dist/${name}`, import.meta.url), "utf8");
    assert.ok(committed === text, `dist/${name} is stale: run npm run build in ui/`);
  }
});

test("the bundle keeps the licence of uPlot and cannot end its script element", async () => {
  const script = await readFile(new URL("../dist/report.js", import.meta.url), "utf8");
  assert.match(script, /Leon Sorokin/);
  assert.match(script, /Permission is hereby granted/);
  assert.doesNotMatch(script, /<\/script|<!--/i);
});

test("the timeline's bundle is small, all ours, and cannot end its script element", async () => {
  const script = await readFile(new URL("../dist/timeline.js", import.meta.url), "utf8");
  assert.ok(Buffer.byteLength(script) < 60_000, `${Buffer.byteLength(script)} bytes`);
  assert.doesNotMatch(script, /<\/script|<!--|uPlot/i);
});
