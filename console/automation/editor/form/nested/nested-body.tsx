import type { BodyProps } from './form-levels.ts';
import { ListBody } from './list-body.tsx';
import { ObjectBody } from './object-body.tsx';
import { VariantBody } from './variant-body.tsx';

/** Shows the inside of a value: its members, its items or its shape. */
export const NestedBody = (props: BodyProps) =>
  props.field.type === 'OBJECT' ? (
    <ObjectBody {...props} />
  ) : props.field.type === 'LIST' ? (
    <ListBody {...props} />
  ) : (
    <VariantBody {...props} />
  );
