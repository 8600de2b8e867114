import { paletteWords as w } from './palette.words.ts';

/** What the palette is asked for in words: objects by their text, and those alone whose editor is wanted. */
export interface Wanted {
  text: string;
  /** Only workflows are wanted, to be edited. */
  isEditor: boolean;
}

/** Reads "open the editor of X" as a search for X. */
export function readWanted(typed: string): Wanted {
  const text = typed.trim();
  const name = new RegExp(w.editorPattern, 'iu').exec(text)?.[1];
  return { text: name ?? text, isEditor: name !== undefined };
}

/** Whether the words are the beginning of a way to say "new workflow". */
export function isNewWorkflow(typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  return wanted !== '' && w.newWorkflowWords.split('|').some((each) => each.startsWith(wanted));
}
