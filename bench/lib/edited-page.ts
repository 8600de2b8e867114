import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { UndoneNext } from './undone-next.ts';

/** The parts of a draft that the page shows, by key: the place of each node, the text of each note, each edge, and the message of the node `message`. */
export type Seen = ReadonlyMap<string, string>;

/** The keys that differ. */
export const differing = (one: Seen, other: Seen): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((key) => one.get(key) !== other.get(key));

interface Blob {
  nodes: { id: string; position?: { x: number; y: number }; config: { message?: string } }[];
  edges: { from: { node?: string; branch?: string }; to: string }[];
  canvas?: { notes?: { id: string; text: string }[] };
}

export function seenInBlob({ nodes, edges, canvas }: Blob): Seen {
  const message = nodes.find(({ id }) => id === 'message')?.config.message;
  return new Map([
    ...nodes.map(({ id, position }) => [id, `${position?.x},${position?.y}`] as const),
    ...(canvas?.notes ?? []).map(({ id, text }) => [`note:${id}`, text] as const),
    ...edges.map(({ from, to }) => [`edge:${from.node}.${from.branch ?? 'default'}>${to}`, 'drawn'] as const),
    ...(message === undefined ? [] : [['message text', message] as const]),
  ]);
}

const seenOnPage = (page: Page): Promise<{ seen: [string, string][]; isSaved: boolean }> =>
  page.evaluate(() => {
    const nodes = [...document.querySelectorAll<HTMLElement>('.react-flow__node')].flatMap(
      (node): [string, string][] => {
        const id = node.dataset['id'] ?? '';
        const place = /translate\((-?[\d.]+)px, ?(-?[\d.]+)px\)/.exec(node.style.transform);
        if (id.startsWith('@')) return [];
        return [[id, node.querySelector('textarea')?.value ?? `${place?.[1]},${place?.[2]}`]];
      },
    );
    const edges = [...document.querySelectorAll<HTMLElement>('.react-flow__edge')].map((edge): [string, string] => [
      edge.dataset['id'] ?? '',
      'drawn',
    ]);
    const message = document.querySelector<HTMLTextAreaElement>('[data-field=message] textarea')?.value;
    const seen = [
      ...nodes,
      ...edges.filter(([id]) => id.startsWith('edge:')),
      ...(message === undefined ? [] : [['message text', message] as [string, string]]),
    ];
    return { seen, isSaved: document.querySelector('.editor-saving')?.textContent === 'Saved' };
  });

const arrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
const pickOne = <Value>(values: readonly Value[]): Value => values[Math.floor(Math.random() * values.length)] as Value;

/** How long an edit may take to be shown; an edit without effect, such as an undo of nothing, is never shown. */
const shownLimitMs = 1_500;

/** A page of the editor in which a person makes one small edit after the other. */
export class EditedPage {
  readonly page: Page;
  edits = 0;
  /** Whether the server did not have all edits when the page was seen last. */
  wasUnsaved = false;
  /** What the page has shown last. */
  seen: Seen;
  /** The keys that the last edit may have changed, where the page ended before it showed that edit. */
  mayChange: (key: string) => boolean = () => false;
  /** Keys that changed although no edit asked for it: the page took an earlier edit back. */
  readonly unasked: string[] = [];
  readonly #undoneNext = new UndoneNext();

  constructor(page: Page, seen: Seen) {
    this.page = page;
    this.seen = seen;
  }

  /** Makes an edit, and waits until it is shown. Throws once the page has gone. */
  async edit(): Promise<void> {
    const nodes = [...this.seen.keys()].filter((key) => !/[: ]/.test(key)).length;
    const added = nodes < 8 ? [this.#add, this.#duplicate] : nodes > 14 ? [this.#remove, this.#remove] : [];
    const act = pickOne([this.#move, this.#move, this.#write, this.#write, this.#type, this.#undo, ...added]);
    await act();
    const changed = await this.#look();
    if (act === this.#undo) this.#undoneNext.undone(changed);
    else if (changed.length > 0) this.#undoneNext.edited(changed);
    this.mayChange = () => false;
  }

  /** Records what the page shows now. Returns the keys that differ from the last record. */
  async #look(): Promise<readonly string[]> {
    for (const end = Date.now() + shownLimitMs; Date.now() < end; await delay(10)) {
      const { seen, isSaved } = await seenOnPage(this.page);
      const now = new Map(seen);
      this.wasUnsaved = !isSaved;
      // The form is not open all the time.
      const message = this.seen.get('message text');
      if (!now.has('message text') && message !== undefined) now.set('message text', message);
      const changed = differing(this.seen, now);
      if (changed.length === 0) continue;
      // New nodes and edges may be drawn a moment later.
      const known = changed.filter((key) => this.seen.has(key) && !key.startsWith('edge:'));
      this.unasked.push(...known.filter((key) => !this.mayChange(key)));
      this.seen = now;
      this.edits += 1;
      return changed;
    }
    return [];
  }

  /** Selects a node beside the selected one, and returns its path. */
  async #selectNext(): Promise<string> {
    await this.page.getByRole('group', { name: 'Graph of the workflow' }).focus();
    await this.page.keyboard.press(pickOne(arrows));
    return this.page.evaluate(
      () => document.querySelector<HTMLElement>('.react-flow__node.selected')?.dataset['id'] ?? '',
    );
  }

  readonly #move = async (): Promise<void> => {
    const path = await this.#selectNext();
    this.mayChange = (key) => key === path;
    await this.page.keyboard.press(`Control+${pickOne(arrows)}`);
  };

  readonly #write = async (): Promise<void> => {
    this.mayChange = (key) => key === 'note:n';
    await this.page.locator('.editor-note textarea').focus();
    await this.page.keyboard.press(pickOne(letters));
  };

  readonly #type = async (): Promise<void> => {
    const field = this.page.locator('[data-field=message] textarea');
    if (!(await field.isVisible())) return this.#write();
    this.mayChange = (key) => key === 'message text';
    await field.focus();
    await this.page.keyboard.press(pickOne(letters));
  };

  readonly #undo = async (): Promise<void> => {
    await this.page.getByRole('group', { name: 'Graph of the workflow' }).focus();
    const { keys } = this.#undoneNext;
    this.mayChange = (key) => keys.includes(key);
    await this.page.keyboard.press('Control+z');
  };

  readonly #add = async (): Promise<void> => {
    await this.#selectNext();
    this.mayChange = this.#isNew;
    await this.page.keyboard.press('a');
    await this.page.getByRole('searchbox').fill('core:set ');
    await this.page.keyboard.press('Enter');
    await this.page.getByRole('searchbox').waitFor({ state: 'detached' });
  };

  readonly #duplicate = async (): Promise<void> => {
    await this.#selectNext();
    this.mayChange = this.#isNew;
    await this.page.keyboard.press('Control+d');
  };

  readonly #remove = async (): Promise<void> => {
    const path = await this.#selectNext();
    if (['', 'message'].includes(path) || path.startsWith('@')) return;
    this.mayChange = (key) => key === path || (key.startsWith('edge:') && /[:>.]/.test(key) && key.includes(path));
    await this.page.keyboard.press('Delete');
  };

  readonly #isNew = (key: string): boolean => !this.seen.has(key);
}
