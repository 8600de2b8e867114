import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { installProbe, type Probe } from './probe.ts';

const wide = { width: 1440, height: 900 };

/** The width of a small phone, in pixels, for which WCAG 1.4.10 asks; it is also a window of 1,280 at a zoom of 400 %. */
const phone = 320;

/** What was found in the parts of a page. */
export interface Walked {
  /** The names of the forms, confirmations and values that its buttons open. */
  panels: string[];
  /** The names of the menus of its filters and views. */
  menus: string[];
}

/** Collects what is wrong with a page: by axe, by its width, and by what it reports to the browser's console. */
export class Audit {
  readonly findings: string[] = [];
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** A new page whose errors are findings from the start. */
  static async begin(context: BrowserContext): Promise<Audit> {
    // Scripts of the context are none of the page, whose Content-Security-Policy would refuse them.
    await context.addInitScript({ content: axe.source });
    await context.addInitScript(installProbe);
    const page = await context.newPage();
    await page.setViewportSize(wide);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const audit = new Audit(page);
    // Chromium also reports here what the Content-Security-Policy refuses.
    page.on('console', (message) => message.type() === 'error' && audit.add(page.url(), [message.text()]));
    page.on('pageerror', (error) => audit.add(page.url(), [String(error)]));
    return audit;
  }

  add(where: string, findings: readonly string[]): void {
    this.findings.push(...findings.map((finding) => `${where}: ${finding}`));
  }

  /** Runs axe on the page. */
  async check(where: string): Promise<void> {
    this.add(where, await this.page.evaluate(() => (globalThis as unknown as Probe).probe.check('html')));
  }

  /** Runs axe on the page and on everything that its buttons open. */
  async checkAll(where: string): Promise<Walked> {
    const { findings, ...walked } = await this.page.evaluate(() => (globalThis as unknown as Probe).probe.checkAll());
    this.add(where, findings);
    return walked;
  }

  /** Looks for what scrolls sideways in the window of a phone, with and without what the buttons open. */
  async checkNarrow(where: string): Promise<void> {
    await this.page.setViewportSize({ width: phone, height: 800 });
    const found = await this.page.evaluate(() => (globalThis as unknown as Probe).probe.findTooWide());
    this.add(`${where}, ${phone} px`, found);
    await this.page.setViewportSize(wide);
  }
}
