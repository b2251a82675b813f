// A browser with nothing of its own: empty profile, no network wanted.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const results = join(here, "..", "test-results");

const candidates = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"];
export const executable = candidates.find((path) => path && existsSync(path));

/** Reason to skip, or false. */
export const skip = executable
  ? false
  : "no Chromium (sudo apt-get install -y chromium, or set CHROMIUM to its path)";

/**
 * Path of an example's program, as the tests of the workspace build it. `-p pontage-report`
 * would give shared crates fewer features, and so build everything a second time.
 */
export function example(name) {
  const cargo = ["build", "--quiet", "--workspace", "--example", name];
  const said = execFileSync("cargo", [...cargo, "--message-format", "json-render-diagnostics"], {
    cwd: join(here, "..", ".."),
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 30,
  });
  const messages = said.toString().trim().split("\n").map((line) => JSON.parse(line));
  return messages.find((m) => m.executable && m.target.name === name).executable;
}

/** Milliseconds: only what never comes takes so long, however busy the machine. */
const MOST_MS = 180_000;

/** Whether `holds` comes true. Asks again and again. */
export async function comesTrue(holds) {
  const until = Date.now() + MOST_MS;
  while (!(await holds())) {
    if (Date.now() > until) return false;
    await new Promise((done) => setTimeout(done, 20));
  }
  return true;
}

/** Path for a made-up page, in a folder that goes when the tests of this file end. */
export function temporary(name) {
  const folder = mkdtempSync(join(tmpdir(), "pontage-page-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** The report under test: REPORT_HTML, or a made-up one. */
export function report(...flags) {
  if (process.env.REPORT_HTML && flags.length === 0) return process.env.REPORT_HTML;
  const path = temporary("report.html");
  execFileSync(example("synthetic"), [path, ...flags], { stdio: "inherit" });
  return path;
}

/**
 * Opens `path` and hands the page to `check`, with what it did wrong: messages
 * on the console, requests for anything but itself.
 */
export async function open(path, options, check) {
  const profile = mkdtempSync(join(tmpdir(), "pontage-chromium-"));
  mkdirSync(results, { recursive: true });
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: executable,
    headless: true,
    timeout: MOST_MS,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // A page that the wheel has scrolled stands where it is to stand.
      "--disable-smooth-scrolling",
    ],
    ...options,
  });
  try {
    context.setDefaultTimeout(MOST_MS);
    context.setDefaultNavigationTimeout(MOST_MS);
    const page = context.pages()[0] ?? (await context.newPage());
    const faults = [];
    page.on("console", (m) => {
      // The tests themselves read canvases back; that remark is theirs.
      if (!/^(error|warning)$/.test(m.type()) || /willReadFrequently/.test(m.text())) return;
      faults.push(`console: ${m.text()}`);
    });
    page.on("pageerror", (e) => faults.push(`exception: ${e.message}`));
    const url = pathToFileURL(path).href;
    page.on("request", (r) => {
      if (r.url() !== url) faults.push(`request: ${r.url()}`);
    });
    await page.goto(url);
    await check(page, faults);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** A picture for people to look at. */
export function picture(page, name, options = {}) {
  return page.screenshot({ path: join(results, `${name}.png`), fullPage: true, ...options });
}
