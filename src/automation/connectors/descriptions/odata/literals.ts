import type { ApiParameter } from '#src/automation/connectors/descriptions/api-description.ts';
import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import { readTypeName, withBases, type EdmModel } from './edm-model.ts';
import { attribute, listChildren, type EdmElement } from './edmx.ts';

/** The text before and after a value in a URL, keyed by type. Values of other types are written without any. */
const quotes: Readonly<Record<string, [before: string, after: string]>> = { 'Edm.String': ["'", "'"] };
const oldQuotes: typeof quotes = {
  ...quotes,
  'Edm.Guid': ["guid'", "'"],
  'Edm.DateTime': ["datetime'", "'"],
  'Edm.DateTimeOffset': ["datetimeoffset'", "'"],
  'Edm.Time': ["time'", "'"],
  'Edm.Binary': ["X'", "'"],
  'Edm.Int64': ['', 'L'],
  'Edm.Decimal': ['', 'M'],
};

export interface Literals {
  /** `Id='{Id}',Row={Row}` */
  text: string;
  parameters: ApiParameter[];
}

/** Writes placeholders for values into a URL, each in the quotes of its type. Throws Unsupported for a value that a URL cannot hold. */
export function literals(elements: readonly EdmElement[], model: EdmModel, separator = ','): Literals {
  const pieces = elements.map((element) => {
    const name = attribute(element, 'Name');
    const { name: type, isList } = readTypeName(attribute(element, 'Type'), model);
    const kind = model.types.get(type)?.name;
    if (isList || kind === 'EntityType' || kind === 'ComplexType') {
      throw new Unsupported(`Its parameter "${name}" is an object or a list, which the URL of a function cannot hold.`);
    }
    const known = model.isV2 ? oldQuotes : quotes;
    const [before, after] =
      kind === 'EnumType' ? [`${type}'`, "'"] : Object.hasOwn(known, type) ? (known[type] ?? ['', '']) : ['', ''];
    return { name, text: `${before}{${name}}${after}`, parameter: placed(name, after.includes("'")) };
  });
  const [only, ...others] = pieces;
  const isKeyAlone = separator === ',' && others.length === 0 && only !== undefined && elements[0]?.name === 'Property';
  return {
    text: isKeyAlone ? only.text : pieces.map(({ name, text }) => `${name}=${text}`).join(separator),
    parameters: pieces.map(({ parameter }) => parameter),
  };
}

/** Writes the key of a type as the predicate of a URL: `('{Id}')`. */
export function keyPredicate(typeName: string, model: EdmModel): Literals {
  const chain = withBases(typeName, model);
  const names = chain
    .flatMap((type) => listChildren(type, 'Key').flatMap((key) => listChildren(key, 'PropertyRef')))
    .map((ref) => attribute(ref, 'Name'));
  const properties = chain.flatMap((type) => listChildren(type, 'Property'));
  const keys = names.map((name) => properties.find((property) => attribute(property, 'Name') === name));
  if (keys.length === 0 || !keys.every((key) => key !== undefined)) {
    throw new Unsupported(`The type "${typeName}" has no key that is one of its own properties.`);
  }
  const { text, parameters } = literals(keys, model);
  return { text: `(${text})`, parameters };
}

const placed = (name: string, isQuoted: boolean): ApiParameter => ({
  name,
  in: 'path',
  required: true,
  description: '',
  // A quote, a comma or a parenthesis would end the literal, and the server would read the rest of the value as part of the request.
  schema: { type: 'string', pattern: isQuoted ? "^[^']*$" : '^[\\w.:+-]*$' },
  style: 'simple',
  explode: false,
  allowReserved: false,
  deprecated: false,
});
