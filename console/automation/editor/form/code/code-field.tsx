import type { EditorView } from '@codemirror/view';
import { lazy, Suspense, useContext, useEffect, useRef } from 'react';
import { RequiredMark } from '#console/automation/editor/form/field-head.tsx';
import { FieldNotes } from '#console/automation/editor/form/field-notes.tsx';
import {
  type FieldTarget,
  type FormData,
  FormDataContext,
  type Offer,
  OfferContext,
} from '#console/automation/editor/form/field-target.ts';
import {
  type ConfigFieldProps,
  type FormLevels,
  FormLevelsContext,
} from '#console/automation/editor/form/nested/form-levels.ts';
import { toProperty } from './code-completions.ts';
import type { CodeLanguage } from './code-format.ts';

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }));

type Props = Pick<ConfigFieldProps, 'field' | 'value' | 'set' | 'isDisabled' | 'id' | 'path' | 'children'> & {
  language: CodeLanguage;
};

/** A field whose text is code: it has no expressions and shows faults at their line. */
export function CodeField({ field, value, set, isDisabled, id, path, language, children }: Props) {
  const { problems } = useContext(FormLevelsContext) as FormLevels;
  const { data, node } = useContext(FormDataContext) as FormData;
  const offer = useContext(OfferContext) as Offer;
  const text = typeof value === 'string' ? value : '';
  const problem = problems.find((each) => each.path === path);
  const view = useRef<EditorView>(null);
  const latest = useRef<FieldTarget>({ insert: () => undefined });
  useEffect(() => {
    latest.current = {
      insert(inserted) {
        const editor = view.current;
        if (isDisabled || !editor || language !== 'typescript') return;
        editor.dispatch(editor.state.replaceSelection(toProperty(inserted)));
        editor.focus();
      },
    };
  });
  return (
    <div
      className="field"
      data-field={path}
      onFocus={() => offer({ insert: (...given) => latest.current.insert(...given) }, true)}
    >
      <div className="field-head">
        <label className="field-label" id={`${id}-label`} htmlFor={id}>
          {field.label}
          <RequiredMark isRequired={field.required} />
        </label>
      </div>
      <Suspense fallback={<div className="input expression code-editor" />}>
        <CodeEditor
          {...{ id, language, text, isDisabled, view }}
          change={(next) => set(next === '' ? undefined : next)}
          isInvalid={problem !== undefined}
          place={problem?.place}
          sample={{ entries: data.entries, values: data.values, config: node.config['values'], inputs: node.inputs }}
        />
      </Suspense>
      <FieldNotes {...{ id, problem: problem?.message }} help={field.help} />
      {children}
    </div>
  );
}
