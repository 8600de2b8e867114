import type { KeyboardEvent } from 'react';

/** A key of the whole editor; it acts unless somebody is typing. */
interface EditorKey {
  name: KeyName;
  /** In lower case. */
  key: string;
  /** With Ctrl, on a Mac with Command. */
  isControl?: true;
  /** It acts while somebody is typing, too. */
  isAnywhere?: true;
}

export type KeyName =
  | 'add'
  | 'edge'
  | 'connect'
  | 'find'
  | 'selectAll'
  | 'clear'
  | 'copy'
  | 'duplicate'
  | 'undo'
  | 'redo'
  | 'zoomIn'
  | 'zoomOut'
  | 'fit'
  | 'fullSize'
  | 'nextProblem'
  | 'previousProblem'
  | 'tryAll'
  | 'tryNode'
  | 'tryTo'
  | 'tryFrom'
  | 'publish'
  | 'help';

export type KeyActions = Readonly<Record<KeyName, () => void>>;

export const editorKeys: readonly EditorKey[] = [
  { name: 'add', key: 'a' },
  { name: 'edge', key: 'e' },
  { name: 'connect', key: 'c' },
  { name: 'find', key: '/' },
  { name: 'find', key: 'f', isControl: true },
  { name: 'selectAll', key: 'a', isControl: true },
  { name: 'clear', key: 'escape' },
  { name: 'copy', key: 'c', isControl: true },
  { name: 'duplicate', key: 'd', isControl: true },
  { name: 'undo', key: 'z', isControl: true },
  { name: 'redo', key: 'y', isControl: true },
  { name: 'zoomIn', key: '+' },
  { name: 'zoomIn', key: '=' },
  { name: 'zoomOut', key: '-' },
  { name: 'fit', key: '0' },
  { name: 'fullSize', key: '1' },
  { name: 'nextProblem', key: 'f8', isAnywhere: true },
  { name: 'tryAll', key: 't' },
  { name: 'tryNode', key: 'r' },
  { name: 'tryTo', key: 'u' },
  { name: 'tryFrom', key: 'f' },
  { name: 'publish', key: 'p' },
  { name: 'help', key: '?' },
];

/** What the keys do with Shift. Ctrl+Shift+Z is the Mac's way to do again. */
const withShift: Partial<Record<KeyName, KeyName>> = { undo: 'redo', nextProblem: 'previousProblem' };

/** Inputs in which a key is a letter; the others are boxes, buttons and the like. */
const textFields = `input:not(${['checkbox', 'radio', 'button', 'range', 'file', 'color'].map((type) => `[type=${type}]`).join(', ')})`;

/** Does what a key stands for. */
export function pressKey(event: KeyboardEvent, actions: KeyActions): void {
  if (event.defaultPrevented || event.altKey) return;
  const isIn = (selector: string) => event.target instanceof Element && event.target.closest(selector) !== null;
  const isTyping = isIn(`${textFields}, textarea, [contenteditable=true]`);
  const key = event.key.toLowerCase();
  const isControl = event.ctrlKey || event.metaKey;
  const found = editorKeys.find((each) => each.key === key && (each.isControl ?? false) === isControl);
  if (!found || (isTyping && !found.isAnywhere)) return;
  // They go to what begins with a letter.
  if (isIn('input, select, [role=tree]') && !found.isAnywhere && found.name !== 'help') return;
  // Escape closes a panel, and leaves selected what it was about.
  if (found.name === 'clear' && isIn('.panel')) return;
  event.preventDefault();
  actions[(event.shiftKey && withShift[found.name]) || found.name]();
}
