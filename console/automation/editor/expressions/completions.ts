import { type Completion, type CompletionSource, pickedCompletion } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import type { ResultOf } from '#console/graph/graphql.ts';
import type { Functions, ScopeEntryRow } from './expressions.documents.ts';
import { shortJson } from './short-json.ts';
import { isWithinBraces } from './template.ts';

export type ScopeEntry = ResultOf<typeof ScopeEntryRow>;
export type ExpressionFunction = ResultOf<typeof Functions>['expressionFunctions'][number];

export interface Completed {
  entries: readonly ScopeEntry[];
  functions: readonly ExpressionFunction[];
}

/** A path or the name of a function up to the cursor. Ids of nodes may have dashes, which elsewhere subtract. */
const token = /(?:\bnodes\.[\w-]+[\w.[\]`-]*|\$?[A-Za-z_][\w.[\]`]*|\$)$/;
const stillToken = /^[\w$.[\]`-]*$/;
const sampleCharacters = 60;

/** Offers what is in scope and the functions, within `{{ }}` or where the whole text is an expression. */
export const completions =
  (known: () => Completed, isBare: boolean): CompletionSource =>
  ({ state, pos, explicit }) => {
    const line = state.sliceDoc(Math.max(0, pos - 400), pos);
    const [typed = ''] = token.exec(line) ?? [];
    const text = state.doc.toString();
    const isInside = isBare || isWithinBraces(text, pos);
    // A field that is empty but for a name is going to be an expression.
    const isFirst = text.trim() === typed && !isInside;
    if (!explicit && (typed === '' || !(isInside || isFirst))) return null;
    const { entries, functions } = known();
    const write = isInside ? (path: string) => path : (path: string) => `{{ ${path} }}`;
    const options = [
      ...(typed.startsWith('$') ? [] : entries.map((entry) => pathOption(entry, write))),
      ...(typed.includes('.') ? [] : functions.map((each) => functionOption(each, isInside))),
    ];
    return options.length === 0 ? null : { from: pos - typed.length, options, validFor: stillToken };
  };

function pathOption({ path, depth, type, sample }: ScopeEntry, write: (path: string) => string): Completion {
  return {
    label: path,
    apply: write(path),
    type: 'variable',
    detail: sample === null ? (type?.toLowerCase() ?? '') : shortJson(sample, sampleCharacters),
    // Users mean paths near the root more often than deep ones.
    boost: -depth,
  };
}

function functionOption(each: ExpressionFunction, isInside: boolean): Completion {
  return {
    label: `$${each.name}`,
    type: 'function',
    detail: each.signature.slice(each.signature.indexOf('(')),
    info: () => help(each),
    boost: -10,
    apply: (view, completion, from, to) => applyCall(view, completion, { from, to, isInside }),
  };
}

/** Writes the call, and puts the cursor between its parentheses. */
function applyCall(
  view: EditorView,
  completion: Completion,
  { from, to, isInside }: { from: number; to: number; isInside: boolean },
): void {
  const call = `${completion.label}(`;
  const start = isInside ? call : `{{ ${call}`;
  const end = isInside ? ')' : ') }}';
  view.dispatch({
    changes: { from, to, insert: start + end },
    selection: { anchor: from + start.length },
    annotations: pickedCompletion.of(completion),
    userEvent: 'input.complete',
  });
}

function help({ signature, description, example, yields }: ExpressionFunction): Node {
  const box = document.createElement('div');
  const add = (name: 'p' | 'code', text: string) => {
    const element = document.createElement(name);
    element.textContent = text;
    box.append(element);
  };
  add('code', signature);
  add('p', description);
  add('code', `${example} → ${shortJson(yields)}`);
  return box;
}
