import { words } from '#console/words/words.ts';

export const typesWords = words({
  en: {
    note: 'Some types do not fit the sample data. The workflow can be built all the same.',
    line: (line: number) => `Line ${line}`,
    missing: (missing: string, meant: string) => `The sample data has no "${missing}" here. Did you mean "${meant}"?`,
    more: (count: number) => `${count} more`,
  },
  de: {
    note: 'Manche Typen passen nicht zu den Beispieldaten. Der Workflow lässt sich trotzdem bauen.',
    line: (line: number) => `Zeile ${line}`,
    missing: (missing: string, meant: string) =>
      `Die Beispieldaten haben hier kein „${missing}“. Ist „${meant}“ gemeint?`,
    more: (count: number) => `${count} weitere`,
  },
});
