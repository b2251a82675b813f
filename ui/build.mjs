// Bundles src/ into dist/: for the report and for the timeline one script, one
// style sheet, and the content security policy with the hashes of exactly these
// two. dist/ is committed, so that building Pontage needs no Node;
// test/bundle.test.mjs keeps it fresh.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry, licence) {
  const result = await esbuild.build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "iife",
    target: ["es2021", "chrome100", "firefox100", "safari15"],
    charset: "utf8",
    legalComments: "none",
    write: false,
  });
  const notice = licence === "" ? "" : `/*! uPlot\n${licence.trim()}\n*/\n`;
  return notice + result.outputFiles[0].text;
}

// The hash of an element's text, as a policy names it.
function hash(text) {
  return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

function policy(script, style) {
  const parts = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `${parts.join("; ")}\n`;
}

export async function build() {
  const licence = await readFile(join(here, "node_modules/uplot/LICENSE"), "utf8");
  const script = await bundle("src/main.ts", licence);
  const style = await bundle("src/report.css", licence);
  // Nobody else's code is in the timeline.
  const timeline = await bundle("src/timeline/main.ts", "");
  const timelineStyle = await bundle("src/timeline/timeline.css", "");
  return {
    "report.js": script,
    "report.css": style,
    "policy.txt": policy(script, style),
    "timeline.js": timeline,
    "timeline.css": timelineStyle,
    "timeline-policy.txt": policy(timeline, timelineStyle),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await mkdir(join(here, "dist"), { recursive: true });
  for (const [name, text] of Object.entries(await build())) {
    await writeFile(join(here, "dist", name), text);
    console.log(`dist/${name} ${Buffer.byteLength(text)} bytes`);
  }
}
