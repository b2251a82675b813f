// The picture of the README: the first screen of a page.
//   node picture.mjs report.html out.png
import { chromium } from "playwright-core";
import { pathToFileURL } from "node:url";
import { executable, skip } from "./test/browser.mjs";

const [page, out] = process.argv.slice(2);
if (skip) {
  console.error(`SKIP the picture: ${skip}`);
  process.exit(0);
}
const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
const tab = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light" });
await tab.goto(pathToFileURL(page).href);
await tab.waitForSelector("html.ready");
await tab.screenshot({ path: out });
await browser.close();
