import { plainSentences } from '#src/automation/connectors/descriptions/plain-text.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { xmlAttribute, xmlChildren, type XmlElement } from '#src/infra/xml/xml-tree.ts';
import { checkedName, type QualifiedName, readName, xsd } from './namespaces.ts';
import { builtinType, readSimpleType } from './simple-types.ts';
import type { Declared, XsdModel } from './xsd-model.ts';

/** Finds the types of members: by name, or from a declaration within the element. */
export interface TypeFinder {
  model: XsdModel;
  named: (name: QualifiedName) => Found;
  inner: (declared: Declared, name: string) => Found;
}

export interface Found {
  type: string;
  schema: JsonSchema;
}

/** Reads an `element`, within a type or global. */
export function readElement(
  finder: TypeFinder,
  { element, schema }: Declared,
): QualifiedName & { nillable: boolean; found: Found } {
  const ref = readName(element, 'ref');
  if (ref) {
    const global = readElement(finder, finder.model.get('element', ref));
    return { ...global, namespace: ref.namespace };
  }
  const name = checkedName(xmlAttribute(element, 'name'));
  const typeName = readName(element, 'type');
  const [inner] = xmlChildren(element, xsd, 'complexType', 'simpleType');
  const found = typeName
    ? finder.named(typeName)
    : inner?.name === 'complexType'
      ? finder.inner({ element: inner, schema }, name)
      : inner
        ? readSimpleType(finder.model, inner)
        : builtinType('anyType');
  const namespace = isFormQualified(element, schema.areElementsQualified) ? schema.targetNamespace : '';
  return { name, namespace, nillable: xmlAttribute(element, 'nillable') === 'true', found };
}

export const isFormQualified = (element: XmlElement, byDefault: boolean): boolean => {
  const form = xmlAttribute(element, 'form');
  return form === '' ? byDefault : form === 'qualified';
};

export function canRepeat(element: XmlElement): boolean {
  const max = xmlAttribute(element, 'maxOccurs');
  return max === 'unbounded' || Number(max) > 1;
}

/** Null is a value for scalars only: a form would show a choice between an object and null. */
export const allowNull = (schema: JsonSchema): JsonSchema =>
  typeof schema['type'] === 'string' && schema['type'] !== 'array'
    ? {
        ...schema,
        type: [schema['type'], 'null'],
        ...(Array.isArray(schema['enum']) && { enum: [...(schema['enum'] as unknown[]), null] }),
      }
    : schema;

export function describe(element: XmlElement, schema: JsonSchema): JsonSchema {
  const text = documentation(element, xsd);
  return text === '' ? schema : { ...schema, description: text };
}

/** The documentation of an element of a schema, or of a description in the given namespace. */
export function documentation(element: XmlElement, namespace: string): string {
  const holders = namespace === xsd ? xmlChildren(element, xsd, 'annotation') : [element];
  const texts = holders.flatMap((holder) => xmlChildren(holder, namespace, 'documentation')).map(({ text }) => text);
  return plainSentences(texts.join(' '), 200);
}
