const text = { type: 'string' } as const;
const number = { type: 'number' } as const;

const label = { ...text, description: 'What the page editor calls the input.', examples: ['Heading'] };
const bound = (which: string) => ({ ...number, description: `The ${which} number it takes.` });

/** The members of a setting of each type beside `type` and `label`. */
const types = {
  text: {
    properties: {
      default: { ...text, description: 'What the island receives where the shop has entered nothing.' },
      placeholder: { ...text, description: 'Shown in the empty field.' },
    },
  },
  number: {
    properties: {
      default: { ...number, description: 'Within min and max.' },
      min: bound('smallest'),
      max: bound('largest'),
    },
  },
  radios: {
    properties: {
      options: {
        type: 'object',
        minProperties: 1,
        additionalProperties: { ...text, description: 'The label of the option.' },
        description:
          'Labels by the value that the island receives, in the order of the choice; JSON readers put keys that are whole numbers first.',
        examples: [{ cm: 'Centimetres', in: 'Inches' }],
      },
      default: { ...text, description: 'A key of options.' },
    },
    required: ['options'],
  },
  checkbox: { properties: { default: { type: 'boolean', description: 'Whether it is on at first.' } } },
  color: {
    properties: {
      default: {
        ...text,
        pattern: '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$',
        description: '# and 3 or 6 hex digits.',
        examples: ['#0af', '#00aaff'],
      },
    },
  },
  range: {
    properties: {
      min: bound('smallest'),
      max: bound('largest'),
      default: { ...number, description: 'Within min and max.' },
      step: {
        ...number,
        exclusiveMinimum: 0,
        description:
          'From one position of the slider, beginning with min, to the next. Left out, it takes every number.',
      },
    },
    required: ['min', 'max'],
  },
};

/** One condition for each type, because a `oneOf` would report the faults of all six. */
const holdsWhatItsTypeHas = Object.entries<{ properties: object; required?: string[] }>(types).map(
  ([type, { properties, required = [] }]) => ({
    if: { properties: { type: { const: type } }, required: ['type'] },
    then: { additionalProperties: false, properties: { type: true, label: true, ...properties }, required },
  }),
);

/** The settings of a block. */
export const settings = {
  type: 'object',
  description: 'What the shop can change, by key. The island receives the values as its props.',
  propertyNames: { pattern: '^[a-z][A-Za-z0-9_]*$', examples: ['heading', 'showAuthor'] },
  additionalProperties: {
    type: 'object',
    required: ['type', 'label'],
    properties: {
      type: {
        enum: Object.keys(types),
        description:
          'The input in the page editor: text (a field), number (a field), radios (a choice), checkbox (on or off), color (a picker), range (a slider).',
      },
      label,
    },
    allOf: holdsWhatItsTypeHas,
  },
  examples: [{ heading: { type: 'text', label: 'Heading', default: 'Reviews' } }],
};
