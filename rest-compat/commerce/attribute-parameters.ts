import { z } from 'zod';
import { attributesSchemaName } from '#src/commerce/attributes/attributes.inputs.ts';

const under = 'attributes.';

/** Lets the query of a list have `attributes.<code>=<value>`: for `z.object(...).catchall(...)`. */
export const attributeParameters = (target: keyof typeof attributesSchemaName) =>
  z.unknown().meta({ membersFrom: attributesSchemaName[target], under });

/** The attribute filters of the query: values by the code of their attribute. */
export const attributesIn = (query: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      name.startsWith(under) ? [[name.slice(under.length), value]] : [],
    ),
  );
