import { type FormEvent, useEffect, useRef, useState } from 'react';
import { mutationFieldOf, readInputTypes, type InputCatalogue } from '#console/graph/input-types.ts';
import type { MutationRefusal } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import type { FormMember } from '#console/ui/form/field-props.ts';
import { FormFields } from '#console/ui/form/form-fields.tsx';
import { keepMembers } from '#console/ui/form/keep-members.ts';
import { missingFields } from '#console/ui/form/missing-fields.ts';
import { showFault } from '#console/ui/form/show-fault.ts';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { useUnsaved } from '#console/ui/unsaved.ts';
import { common } from '#console/words/common.words.ts';
import { actionFormWords } from './action-form.words.ts';
import type { Action } from './action.ts';

interface Props<T> {
  action: Action<T>;
  object: T;
  /** The members of the input that are not asked for. */
  fixed: Record<string, unknown>;
  refusal: MutationRefusal | undefined;
  isBusy: boolean;
  submit: (values: Record<string, unknown>) => void;
  close: () => void;
}

/**
 * Focuses the first field, so that the reader can type at once. It does not on a touch screen, whose keyboard would cover half of the form,
 * nor for a lookup, whose list opens with the focus and would cover the other fields.
 */
const focusFirst = (form: HTMLFormElement) => {
  const isTyping = form.closest('.panel')?.querySelector('.panel-body :focus');
  const first = form.querySelector<HTMLElement>('input, select, textarea');
  const isLookup = first?.getAttribute('role') === 'combobox';
  if (first && !isLookup && !isTyping && matchMedia('(pointer: fine)').matches) first.focus();
};

/** The form of an action, from the input type of its mutation. */
export function ActionForm<T>({ action, object, fixed, refusal, isBusy, submit, close }: Props<T>) {
  const [catalogue, setCatalogue] = useState<InputCatalogue>();
  const [initial] = useState<Record<string, unknown>>(() => action.form?.initial?.(object) ?? {});
  const [values, setValues] = useState(initial);
  const [isTouched, setTouched] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const box = useRef<HTMLFormElement>(null);
  useEffect(() => void readInputTypes().then(setCatalogue), []);
  useEffect(() => void (catalogue && box.current && focusFirst(box.current)), [catalogue]);
  useEffect(() => void (refusal && box.current && showFault(box.current)), [refusal]);
  useUnsaved(isTouched && !isBusy);
  if (!catalogue) return <Skeleton rows={4} />;
  const { fields: named, lookups = {}, choices = {}, asked } = action.form ?? {};
  const options = Object.fromEntries(Object.entries(choices).map(([name, of]) => [name, of(object)]));
  const all = catalogue.mutations[mutationFieldOf(action.document)] ?? '';
  const changed = asked?.(object, values) ?? {};
  const fields = (catalogue.inputs[all] ?? [])
    .filter(({ name }) => (named ? named.includes(name) : !(name in fixed)))
    .map((field): FormMember => ({ ...field, ...changed[field.name] }));
  if (named) fields.sort((a, b) => named.indexOf(a.name) - named.indexOf(b.name));
  // An optional value that was there and was emptied is taken back; one that was never there is left out.
  const cleared = Object.fromEntries(
    fields
      .filter(({ name, isRequired }) => !isRequired && name in initial && !(name in values))
      .map(({ name }) => [name, null]),
  );
  const missing = missingFields(catalogue, fields, values);
  const errors = {
    ...refusal?.fields,
    ...(isChecked && Object.fromEntries(missing.map((path) => [path, common.required]))),
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const broken = form.querySelector<HTMLElement>('[data-broken]');
    if (broken) broken.focus();
    else if (missing.length > 0) {
      setChecked(true);
      setTimeout(() => showFault(form));
    } else submit({ ...cleared, ...keepMembers(fields, values) });
  };
  return (
    <form ref={box} className="form" onSubmit={send} onInput={() => setTouched(true)} noValidate>
      <FormFields
        {...{ catalogue, fields, values, lookups, errors }}
        choices={options}
        path=""
        marksOptional={!action.saves}
        change={setValues}
      />
      <div className="panel-actions">
        <Button type="submit" kind={action.isDanger ? 'danger' : 'main'} isBusy={isBusy}>
          {action.creates ? actionFormWords.create : action.saves ? common.save : action.label}
        </Button>
        <Button onPress={close}>{common.cancel}</Button>
      </div>
    </form>
  );
}
