import type { Screens } from '#console/ui/screens/screen.ts';

export interface Noun {
  /** Its part of the address. */
  noun: string;
  /** The type of the graph whose objects its pages show. */
  type?: string;
  /** The entry of the rail under which it is found. */
  place: string;
  /** The page of docs/ that explains it. */
  docs: string;
  load: () => Promise<Screens>;
}

/** The screens of the console, one line a noun; each is loaded when it is first opened. */
export const nouns: readonly Noun[] = [
  {
    noun: 'runs',
    type: 'Run',
    place: 'runs',
    docs: 'workflows',
    load: () => import('#console/automation/runs/runs.screens.tsx').then((m) => m.runs),
  },
];

const byName = new Map(nouns.map((noun) => [noun.noun, noun]));
const byType = new Map(nouns.map((noun) => [noun.type, noun.noun]));

export const findNoun = (name: string): Noun | undefined => byName.get(name);
export const nounOf = (typename: string): string | undefined => byType.get(typename);
