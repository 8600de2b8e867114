import { useContext, useRef, useState } from 'react';
import { isSame } from '#console/automation/editor/model/same.ts';
import { type Field, type Shape, listShapes } from './field.ts';
import { fits } from './fits.ts';
import { type BodyProps, type FormLevels, FormLevelsContext } from './form-levels.ts';
import { nestedWords as w } from './nested.words.ts';
import { ObjectBody } from './object-body.tsx';
import { findShape, inShape } from './variants.ts';

/** The form of a value that has one of several shapes: a choice of the shape, and the fields of the chosen one. */
export function VariantBody(props: BodyProps) {
  const { field, label, value, set, isDisabled, id, path, depth } = props;
  const { Inner } = useContext(FormLevelsContext) as FormLevels;
  const shapes = listShapes(field);
  const discriminator = field.nested?.discriminator;
  const [own, setOwn] = useState<{ name: string; value: unknown }>();
  /** The value in each shape chosen earlier, restored when the user goes back to that shape. */
  const kept = useRef(new Map<string, unknown>());
  const shape = chosenShape(field, shapes, value, own);
  const change = (to: Shape, next: unknown) => {
    setOwn({ name: to.name, value: next });
    set(next);
  };
  return (
    <div className="nest-members">
      <select
        id={id}
        className="input"
        aria-label={w.shapeOf(label)}
        disabled={isDisabled}
        value={shape?.name ?? ''}
        onChange={({ target }) => {
          const to = shapes.find(({ name }) => name === target.value);
          if (!to) return;
          if (shape) kept.current.set(shape.name, value);
          change(to, inShape(field, value, to, kept.current.get(to.name)));
        }}
      >
        <option value="" disabled>
          {w.choose}
        </option>
        {shapes.map(({ name, label: word }) => (
          <option key={name} value={name}>
            {word}
          </option>
        ))}
      </select>
      {!shape ? (
        value !== undefined && <ObjectBody {...props} field={withoutShape} />
      ) : shape.field.type === 'OBJECT' ? (
        <ObjectBody
          key={shape.name}
          {...props}
          field={shape.field}
          without={discriminator}
          set={(next) => change(shape, next)}
        />
      ) : (
        <Inner
          key={shape.name}
          {...{ value, isDisabled, path }}
          field={shape.field}
          label={shape.label}
          id={`${id}-shape`}
          depth={depth + 1}
          startsOpen
          hidesProblem
          set={(next) => change(shape, next)}
        />
      )}
    </div>
  );
}

/** Keeps the chosen shape while the user's own edit does not fit it yet. If somebody else changed the value, the shape is found again. */
function chosenShape(field: Field, shapes: readonly Shape[], value: unknown, own?: { name: string; value: unknown }) {
  const last = shapes.find(({ name }) => name === own?.name);
  if (!last || field.nested?.discriminator !== undefined) return findShape(field, value);
  const stays = own?.value === value || isSame(own?.value, value) || fits(value, last.field);
  return stays ? last : findShape(field, value);
}

/** A field without members: if the shape is not known, every member of the object counts as unknown and is shown as JSON. */
const withoutShape: Field = {
  key: '',
  label: '',
  type: 'OBJECT',
  required: false,
  nullable: false,
  default: null,
  help: null,
  dynamic: false,
  pattern: null,
  format: null,
  credentialTypes: [],
  options: [],
  nested: null,
};
