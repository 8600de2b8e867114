import type { ReactNode } from 'react';
import { enumWord } from '#console/words/enums.ts';
import { durationText, moneyText, numberText, timeText } from '#console/words/values.ts';
import { Age } from './age.tsx';
import { CopyText } from './copy-text.tsx';
import { ObjectLink } from './object-link.tsx';
import type { Format } from './screens/screen.ts';
import { State } from './state.tsx';

type Maybe<V> = V | null | undefined;
const dash = '–';

export const text = <R,>(get: (row: R) => Maybe<string | number>): Format<R> => ({
  text: (row) => String(get(row) ?? ''),
});

/** A value of an enum in words, without the look of a state. */
export const word = <R,>(get: (row: R) => Maybe<string>): Format<R> => ({ text: (row) => enumWord(get(row) ?? '') });

/** A state of the five: shape and colour. */
export const state = <R,>(get: (row: R) => Maybe<string>): Format<R> => ({
  text: (row) => enumWord(get(row) ?? ''),
  draw: (row) => <State value={get(row) ?? ''} />,
  width: '136px',
});

export const flag = <R,>(get: (row: R) => Maybe<boolean>): Format<R> => ({
  isFlag: true,
  text: (row) => enumWord(get(row) ? 'yes' : 'no'),
});

/** An instant: its age, and the exact time on hover. */
export const time = <R,>(get: (row: R) => Maybe<string>): Format<R> => ({
  text: (row) => get(row) ?? '',
  draw: (row) => draw(get(row), (at) => <Age at={at} />),
  width: '112px',
});

/** An instant in full. */
export const exactTime = <R,>(get: (row: R) => Maybe<string>): Format<R> => ({
  text: (row) => get(row) ?? '',
  draw: (row) =>
    draw(get(row), (at) => (
      <time dateTime={at} title={at}>
        {timeText(at)}
      </time>
    )),
  width: '184px',
});

/** Milliseconds. */
export const duration = <R,>(get: (row: R) => Maybe<number>): Format<R> => ({
  text: (row) => draw(get(row), durationText) as string,
  align: 'end',
  width: '96px',
});

export const number = <R,>(get: (row: R) => Maybe<number | string>): Format<R> => ({
  text: (row) => draw(get(row), numberText) as string,
  align: 'end',
  width: '96px',
});

/** An exact decimal with its currency. */
export const money = <R,>(get: (row: R) => Maybe<string>, currency: (row: R) => string): Format<R> => ({
  text: (row) => draw(get(row), (amount) => moneyText(amount, currency(row))) as string,
  align: 'end',
  width: '128px',
});

/** An id or a handle, in monospace, copied by a click. */
export const handle = <R,>(get: (row: R) => Maybe<string | number>): Format<R> => ({
  text: (row) => String(get(row) ?? ''),
  draw: (row) => draw(get(row), (id) => <CopyText text={String(id)} />),
});

/** Another object by its name, which opens its page. */
export const link = <R,>(
  noun: string,
  get: (row: R) => Maybe<{ id: string }>,
  name: (row: R) => Maybe<string | number>,
): Format<R> => ({
  text: (row) => String(name(row) ?? ''),
  draw: (row) => {
    const object = get(row);
    const label = String(name(row) ?? '');
    return object ? (
      <ObjectLink noun={noun} id={object.id}>
        {label}
      </ObjectLink>
    ) : (
      label || dash
    );
  },
});

const draw = <V,>(value: Maybe<V>, show: (value: V) => ReactNode): ReactNode => (value == null ? dash : show(value));
