import type { Completion, CompletionSource } from '@codemirror/autocomplete';
import type { ScopeEntry } from '#console/automation/editor/expressions/completions.ts';
import { shortJson } from '#console/automation/editor/expressions/short-json.ts';
import type { AskTypes } from './types/code-types.ts';
import { offersAsCompletions } from './types/member-completions.ts';

const token = /[A-Za-z_$][\w$.?[\]"-]*$/;
const stillToken = /^[\w$.?[\]"-]*$/;
const name = /[\w$]*$/;
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

interface Known {
  entries: readonly ScopeEntry[];
  ask: AskTypes;
}

/** Completes members of values by their types, and names and paths that are in scope. */
export const codeCompletions =
  (known: () => Known): CompletionSource =>
  async ({ state, pos: at, explicit }) => {
    const before = state.sliceDoc(Math.max(0, at - 400), at);
    const [typed = ''] = token.exec(before) ?? [];
    const [typedName = ''] = name.exec(before) ?? [];
    const isMember = before.endsWith(`.${typedName}`);
    if (!explicit && typed === '' && !isMember) return null;
    const { entries, ask } = known();
    const text = state.doc.toString();
    const offers = await ask('offers', { text, at });
    const own = offers && offersAsCompletions(offers, { ask, text, at, from: at - typedName.length });
    if (own && offers.areMembers && own.options.length > 0) return own;
    const options = [
      ...(own && !typed.includes('.') ? own.options : []),
      ...entries.filter(({ path }) => !path.startsWith('secrets')).map(toOption),
      ...tools.map((label): Completion => ({ label, type: 'function', boost: -5 })),
    ];
    return { from: at - typed.length, options, validFor: stillToken };
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
