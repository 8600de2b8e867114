import { builder } from './builder.ts';

/** The description of a value whose name does not explain it. */
type Described<Value extends string> = Partial<Record<Value, string>>;

/**
 * An enum whose values are lower case in the code, the database and REST; the graph shows `fire_once` as `FIRE_ONCE`, and `credentials-ref`
 * as `CREDENTIALS_REF`. REST converts them back (rest-compat/enums.ts).
 */
export const defineEnum = <const Value extends string>(
  name: string,
  values: readonly Value[],
  { description, values: described = {} }: { description?: string; values?: Described<Value> } = {},
) =>
  builder.enumType(name, {
    ...(description !== undefined && { description }),
    values: Object.fromEntries(
      values.map((value) => [
        value.toUpperCase().replaceAll('-', '_'),
        { value, description: (described as Described<string>)[value] },
      ]),
    ) as Record<string, { value: Value }>,
  });

// Here because nouns of several slices use them, and no slice may import another's graph.

export const TriggerTypeEnum = defineEnum('TriggerType', ['manual', 'schedule', 'webhook', 'event', 'poll'], {
  description: 'What fires a workflow. A run that another run started counts as started by hand.',
});

export const LogLevelEnum = defineEnum('LogLevel', ['debug', 'info', 'warn', 'error'], {
  description: 'How much a line that a node logged matters.',
});

export const FileFormatEnum = defineEnum('ImportFormat', ['csv', 'json', 'ndjson', 'xml', 'xlsx'], {
  description: 'What a file is written in.',
});

export const ValueTypeEnum = defineEnum(
  'ExpressionValueType',
  ['string', 'number', 'boolean', 'array', 'object', 'null', 'nothing'],
  {
    description: 'The JSON type of a value.',
    values: { nothing: 'The expression finds no value: its member of a config is left out.' },
  },
);

export const BlockStatusEnum = defineEnum('BlockStatus', ['rendered', 'empty'], {
  description: 'What a block came to.',
  values: { empty: 'It cannot be shown, for the reason given; the page stands without it.' },
});
