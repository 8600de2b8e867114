/** What `installProbe` adds to the page. */
export interface Probe {
  probe: {
    /** Runs axe on the part of the page: every rule in the light theme, those of colours in the dark one too. */
    check: (part: string) => Promise<string[]>;
    /** Runs axe on the page, and on each menu and panel that it opens. */
    checkAll: () => Promise<{ findings: string[]; panels: string[]; menus: string[] }>;
    /** The elements that a reader can scroll sideways, in the page and in each panel that it opens. */
    findTooWide: () => Promise<string[]>;
  };
}

/** The part of axe-core's API that runs in the page. */
interface Axe {
  run: (
    context: { include: string[] },
    options: object,
  ) => Promise<{ violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
}

/**
 * Adds the probe to a page. It runs there alone, with nothing around it: hundreds of clicks and waits from outside would take several times
 * as long.
 */
export function installProbe(): void {
  const { all, colours } = {
    all: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] },
    colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  };
  /** May scroll sideways: tables, drawings, code, fields, and the strips of places and tabs. */
  const mayScroll = '.table-scroller, [role=grid], .flow, .timeline-scroller, pre, nav, textarea, input';
  const maxWaitMs = 30_000;

  const find = (selector: string): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(selector)];
  const shown = (selector: string): boolean => document.querySelector(selector) !== null;

  async function until(isTrue: () => boolean, what: string): Promise<void> {
    for (const started = performance.now(); !isTrue(); await new Promise((resolve) => setTimeout(resolve, 10)))
      if (performance.now() - started > maxWaitMs) throw new Error(`${location.pathname}: waited in vain for ${what}.`);
  }

  async function check(part: string): Promise<string[]> {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { style } = document.documentElement;
    const found: string[] = [];
    for (const theme of ['light', 'dark']) {
      style.colorScheme = theme;
      const runOnly = theme === 'light' ? all : colours;
      const { violations } = await axe.run({ include: [part] }, { runOnly, resultTypes: ['violations'] });
      for (const { id, help, nodes } of violations)
        for (const { html, failureSummary = '' } of nodes)
          found.push(`${theme}: ${id}: ${help}\n    ${html.slice(0, 240)}\n    ${failureSummary}`);
    }
    style.colorScheme = '';
    return found;
  }

  /** The elements outside of every landmark, checked while a menu is open over the page. */
  async function checkLandmarks(): Promise<string[]> {
    const { axe } = globalThis as unknown as { axe: Axe };
    const runOnly = { type: 'rule', values: ['region'] };
    const { violations } = await axe.run({ include: ['html'] }, { runOnly, resultTypes: ['violations'] });
    return violations.flatMap(({ help, nodes }) =>
      nodes.map(({ html }) => `region: ${help}\n    ${html.slice(0, 240)}`),
    );
  }

  /** Opens each menu in the page, and closes it. */
  async function eachMenu(visit: (name: string) => Promise<void>): Promise<void> {
    for (const button of find('main [aria-haspopup]')) {
      const name = button.innerText;
      button.click();
      await until(() => shown('.popover'), `the menu of ${name}`);
      await visit(name);
      // Pressed again where the menu had not taken the focus yet.
      await until(() => {
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
        return !shown('.popover');
      }, `the end of the menu of ${name}`);
    }
  }

  /** Opens each panel of the page's actions, and closes it. */
  async function eachPanel(visit: (name: string, part: string) => Promise<void>): Promise<void> {
    const opens = (button: HTMLElement) => button.matches(':enabled:not([aria-haspopup])');
    const names = find('.page-actions button')
      .filter(opens)
      .map(({ innerText }) => innerText);
    for (const name of names) {
      const button = () => find('.page-actions button').find(({ innerText }) => innerText === name);
      button()?.click();
      // Other buttons do what they say, such as the download of a list.
      await new Promise((resolve) => setTimeout(resolve, 50));
      const { search } = location;
      if (!search.includes('do=')) continue;
      await until(() => !shown('.skeleton'), name);
      await visit(name, shown('.panel') ? '.panel' : 'main');
      history.replaceState(null, '', location.pathname);
      await until(() => !shown('.panel'), `the end of ${name}`);
    }
  }

  /** Whether something between the two keeps the inner one from making the outer one wider. */
  function isClipped(inner: Element, outer: Element): boolean {
    for (let between = inner.parentElement; between && between !== outer; between = between.parentElement)
      if (getComputedStyle(between).overflowX !== 'visible') return true;
    return false;
  }

  /** A page follows a new width within a few frames: what is still too wide after a second stays so. */
  async function findTooWide(): Promise<string[]> {
    for (const started = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const found = findTooWideNow();
      if (found.length === 0 || performance.now() - started > 1000) return found;
    }
  }

  function findTooWideNow(): string[] {
    const readName = (element: Element) => `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`;
    const canScroll = (element: Element) =>
      element === document.documentElement || ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
    return find('*')
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && canScroll(element))
      .filter((element) => element.closest(mayScroll) === null)
      .map((element) => {
        const end = element.getBoundingClientRect().left + element.clientWidth + 1;
        // What an inner part clips or scrolls does not make this one wider.
        const reaches = (inner: Element) => inner.getBoundingClientRect().right > end && !isClipped(inner, element);
        const beyond = [...element.querySelectorAll('*')].filter(reaches);
        const size = `${element.scrollWidth} px wide in ${element.clientWidth} px`;
        return `${readName(element)} is ${size}, by ${beyond.slice(0, 4).map(readName).join(', ')}`;
      });
  }

  const probe: Probe['probe'] = {
    check,
    async checkAll() {
      const findings = await check('html');
      const [panels, menus]: [string[], string[]] = [[], []];
      await eachMenu(async (name) => {
        const found = [...(await check('.popover')), ...(await checkLandmarks())];
        findings.push(...found.map((each) => `menu "${name}": ${each}`));
        menus.push(name);
      });
      await eachPanel(async (name, part) => {
        findings.push(...(await check(part)).map((found) => `"${name}": ${found}`));
        panels.push(name);
      });
      return { findings, panels, menus };
    },
    async findTooWide() {
      const findings = await findTooWide();
      await eachPanel(async (name) => {
        findings.push(...(await findTooWide()).map((found) => `"${name}": ${found}`));
      });
      return findings;
    },
  };
  Object.assign(globalThis, { probe });
}
