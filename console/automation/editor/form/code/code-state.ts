import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { history, historyKeymap, indentLess, indentMore, standardKeymap } from '@codemirror/commands';
import { bracketMatching, LRLanguage, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { parser } from '@lezer/javascript';
import type { ScopeEntry } from '#console/automation/editor/expressions/completions.ts';
import { faults, type Range } from '#console/automation/editor/expressions/expression-state.ts';
import { listBelowCursor } from '#console/automation/editor/expressions/list-below-cursor.ts';
import { codeCompletions } from './code-completions.ts';
import type { CodeLanguage } from './code-format.ts';
import type { CodeTypes } from './types/code-types.ts';
import { typeMarks } from './types/type-marks.ts';
import { typeTooltip } from './types/type-tooltip.ts';

const typescript = LRLanguage.define({ name: 'typescript', parser: parser.configure({ dialect: 'ts' }) });

/** The styles are here because the first view loads the style sheet of the console. */
const theme = EditorView.theme({
  '&.cm-editor .cm-scroller': { minHeight: '90px', maxHeight: '420px' },
  '&.cm-editor .cm-gutters': { border: 'none', background: 'none', color: 'var(--text-quiet)' },
  '.tok-keyword': { fontWeight: '600' },
  '.tok-comment': { color: 'var(--text-quiet)', fontStyle: 'italic' },
  '.tok-string, .tok-string2': { color: 'var(--accent)' },
});

interface Given {
  language: CodeLanguage;
  attributes: Record<string, string>;
  isDisabled: boolean;
  nonce: string;
  known: () => { entries: readonly ScopeEntry[]; types: CodeTypes };
  change: (text: string) => void;
}

/** The extensions of a code editor. Tab is not bound, so that it leaves the field; Ctrl-] and Ctrl-[ indent. */
export const codeExtensions = ({ language, attributes, isDisabled, nonce, known, change }: Given): Extension => [
  EditorView.cspNonce.of(nonce),
  theme,
  EditorState.readOnly.of(isDisabled),
  EditorView.editable.of(!isDisabled),
  EditorView.contentAttributes.of(attributes),
  EditorState.tabSize.of(2),
  lineNumbers(),
  history(),
  faults,
  bracketMatching(),
  language === 'typescript'
    ? [
        typescript,
        syntaxHighlighting(classHighlighter),
        autocompletion({
          override: [codeCompletions(() => ({ entries: known().entries, ask: known().types.ask }))],
          icons: false,
          maxRenderedOptions: 60,
        }),
        listBelowCursor,
        typeMarks,
        typeTooltip(() => known().types),
      ]
    : [],
  keymap.of([
    ...completionKeymap,
    ...historyKeymap,
    { key: 'Mod-]', run: indentMore },
    { key: 'Mod-[', run: indentLess },
    ...standardKeymap,
  ]),
  EditorView.updateListener.of((update) => {
    if (update.docChanged) change(update.state.doc.toString());
  }),
];

/** The range from a place, counted from 1, to the end of its line. Empty if the text no longer has that line. */
export function rangeAt(doc: Text, place: { line: number; column: number } | undefined): Range[] {
  if (!place || place.line > doc.lines) return [];
  const { from, to } = doc.line(place.line);
  const start = Math.min(from + place.column - 1, Math.max(from, to - 1));
  return start < to ? [{ from: start, to }] : [];
}
