import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { xmlAttribute, xmlChildren, type XmlElement } from '#src/infra/xml/xml-tree.ts';
import { builtinSchema, isNumeric } from './builtin-types.ts';
import { encodings, type QualifiedName, readName, xsd } from './namespaces.ts';
import type { XsdModel } from './xsd-model.ts';

/** A simple type: the built-in type that it restricts, and the schema of its values. */
export interface SimpleType {
  type: `xs:${string}`;
  schema: JsonSchema;
}

const maxBases = 50;
const maxOptions = 1_000;

export const builtinType = (name: string): SimpleType => ({ type: `xs:${name}`, schema: builtinSchema(name) });

/** The type of this name if it is simple; undefined if the name belongs to a complex type or to none. */
export function findSimpleType(model: XsdModel, name: QualifiedName, depth = 0): SimpleType | undefined {
  if (name.namespace === xsd || (encodings.includes(name.namespace) && name.name !== 'Array'))
    return builtinType(name.name);
  const declared = model.find('simpleType', name);
  return declared && readSimpleType(model, declared.element, depth);
}

/** Reads a `simpleType` element. Lists and unions are text. */
export function readSimpleType(model: XsdModel, element: XmlElement, depth = 0): SimpleType {
  if (depth > maxBases) throw new Unsupported(`It uses a type that restricts more than ${maxBases} others.`);
  const [restriction] = xmlChildren(element, xsd, 'restriction');
  if (!restriction) return builtinType('string');
  const baseName = readName(restriction, 'base');
  const [inner] = xmlChildren(restriction, xsd, 'simpleType');
  const base = inner
    ? readSimpleType(model, inner, depth + 1)
    : ((baseName && findSimpleType(model, baseName, depth + 1)) ?? builtinType('string'));
  return { type: base.type, schema: { ...base.schema, ...readFacets(restriction, base) } };
}

function readFacets(restriction: XmlElement, base: SimpleType): JsonSchema {
  const values = xmlChildren(restriction, xsd, 'enumeration').map((each) => xmlAttribute(each, 'value'));
  const [length] = xmlChildren(restriction, xsd, 'maxLength');
  const maxLength = length && Number(xmlAttribute(length, 'value'));
  const patterns = xmlChildren(restriction, xsd, 'pattern').map((each) => xmlAttribute(each, 'value'));
  const isText = base.schema['type'] === 'string';
  const isNumber = isNumeric(base.type.slice('xs:'.length));
  return {
    ...(values.length > 0 &&
      values.length <= maxOptions &&
      (isText || isNumber) && {
        enum: [...new Set<string | number>(isNumber ? values.map(Number).filter(Number.isFinite) : values)],
      }),
    ...(isText && maxLength !== undefined && Number.isSafeInteger(maxLength) && { maxLength }),
    // In XML Schema, a pattern matches the whole value, `^` and `$` are characters, and classes can be subtracted.
    ...(isText &&
      patterns.length === 1 &&
      !/[\^$]|-\[|\\[ic]/i.test(patterns[0] ?? '') && { pattern: `^(?:${patterns[0]})$` }),
  };
}
