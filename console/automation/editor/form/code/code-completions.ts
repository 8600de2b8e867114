import type { Completion, CompletionSource } from '@codemirror/autocomplete';
import type { ScopeEntry } from '#console/automation/editor/expressions/completions.ts';
import { shortJson } from '#console/automation/editor/expressions/short-json.ts';

const token = /[A-Za-z_$][\w$.?[\]"-]*$/;
const stillToken = /^[\w$.?[\]"-]*$/;
const sampleCharacters = 60;

/** Functions and values that code has in scope besides the data. */
const tools = [
  'log.info()',
  'log.warn()',
  'log.error()',
  'state.get(namespace, key)',
  'state.set(namespace, key, value)',
  'state.delete(namespace, key)',
  'http({ method, url, headers, query, body })',
  'inputs',
  'values',
];

/** Completes names that are in scope in code. */
export const codeCompletions =
  (known: () => readonly ScopeEntry[]): CompletionSource =>
  ({ state, pos, explicit }) => {
    const [typed = ''] = token.exec(state.sliceDoc(Math.max(0, pos - 400), pos)) ?? [];
    if (!explicit && typed === '') return null;
    const options = [
      ...known()
        .filter(({ path }) => !path.startsWith('secrets'))
        .map(toOption),
      ...tools.map((label): Completion => ({ label, type: 'function', boost: -5 })),
    ];
    return { from: pos - typed.length, options, validFor: stillToken };
  };

const toOption = ({ path, depth, type, sample }: ScopeEntry): Completion => ({
  label: toProperty(path),
  type: 'variable',
  detail: sample === null ? (type?.toLowerCase() ?? '') : shortJson(sample, sampleCharacters),
  boost: -depth,
});

/** Converts the path of an expression to code. Ids with dashes and quoted names become members in brackets. */
export const toProperty = (path: string): string =>
  path
    .match(/`[^`]*`|\[\d+\]|[^.`[\]]+/g)
    ?.map((part) => (part.startsWith('`') ? part.slice(1, -1) : part))
    .reduce((all, part) => {
      if (/^\[\d+\]$/.test(part)) return all + part;
      if (!/^[A-Za-z_$][\w$]*$/.test(part)) return `${all}[${JSON.stringify(part)}]`;
      return all === '' ? part : `${all}.${part}`;
    }, '') ?? path;
