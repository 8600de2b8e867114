import { memo, useCallback, useContext } from 'react';
import type { Field } from './field.ts';
import { type FormLevels, FormLevelsContext } from './form-levels.ts';
import { nestedWords as w } from './nested.words.ts';

interface Props {
  field: Field;
  value: unknown;
  isDisabled: boolean;
  id: string;
  path: string;
  depth: number;
  startsOpen: boolean;
  put: (key: string, value: unknown) => void;
  /** Removes the member; undefined for a required member. */
  remove: ((key: string) => void) | undefined;
}

/** A member of an object. Rendered again only when the member changes. */
export const Member = memo(function Member({ field, put, remove, ...props }: Props) {
  const { Inner } = useContext(FormLevelsContext) as FormLevels;
  const { key, label } = field;
  const set = useCallback((value: unknown) => put(key, value), [put, key]);
  const name = w.remove(label);
  return (
    <Inner
      {...props}
      {...{ field, set }}
      acts={
        remove && (
          <button
            type="button"
            className="bare"
            aria-label={name}
            title={name}
            disabled={props.isDisabled}
            onClick={() => remove(key)}
          >
            ×
          </button>
        )
      }
    />
  );
});
