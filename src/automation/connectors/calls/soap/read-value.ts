import { setOwn } from '#src/automation/expressions/json-value.ts';
import { formatLimits } from '#src/automation/formats/formats.ts';
import type { CallSoap, SoapElement } from '#src/automation/node-api/api-call.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { exactNumber } from '#src/infra/text/exact-numbers.ts';
import { xmlAttribute, type XmlElement } from '#src/infra/xml/xml-tree.ts';
import { xsd, xsi } from './envelope-names.ts';

const numbers = new Set(
  'byte short int long unsignedByte unsignedShort unsignedInt unsignedLong integer positiveInteger nonNegativeInteger negativeInteger nonPositiveInteger decimal float double'
    .split(' ')
    .map((name) => `xs:${name}`),
);
const numberText = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d{1,9})?$/;
/** The most characters that references may repeat in one answer. */
const maxRepeated = 2 * formatLimits.text;

/** Reads elements of an answer as JSON, by the types of a call. */
export class ValueReader {
  readonly #soap: CallSoap;
  /** Elements to which other elements refer, as the encoding of SOAP allows. */
  readonly #byId = new Map<string, { target: XmlElement; size: number }>();
  #repeated = 0;

  constructor(soap: CallSoap, body: XmlElement) {
    this.#soap = soap;
    if (soap.encoded !== true) return;
    for (const element of body.children) {
      const id = xmlAttribute(element, 'id');
      if (id !== '') this.#byId.set(id, { target: element, size: measure(element) });
    }
  }

  /**
   * Reads an element. Numbers that a double cannot hold become text, a nil element becomes null, and a missing list becomes an empty one.
   * Elements that the type does not list are read without a type.
   */
  read(element: SoapElement, given: XmlElement, around: readonly XmlElement[] = []): unknown {
    const found = this.#follow(given);
    if (around.includes(found)) return null;
    const nil = xmlAttribute(found, 'nil', xsi);
    if (nil === 'true' || nil === '1') return null;
    const type = Object.hasOwn(this.#soap.types, element.type) ? this.#soap.types[element.type] : undefined;
    if (!type) return element.type === 'xs:anyType' ? this.#readUntyped(found) : readScalar(element.type, found.text);
    const path = [...around, found];
    const [item] = type.members;
    if (type.array === true && item) return found.children.map((child) => this.read(item, child, path));
    const members: Record<string, unknown> = {};
    const known = new Set<XmlElement>();
    for (const member of type.members) {
      if (member.as === 'text') setOwn(members, member.key, readScalar(member.type, found.text));
      else if (member.as === 'attribute') {
        const attribute = found.attributes.find(
          ({ name, namespace }) => name === member.name && namespace === this.#namespace(member),
        );
        if (attribute) setOwn(members, member.key, readScalar(member.type, attribute.value));
      } else {
        const own = this.#findAll(member, found);
        for (const child of own) known.add(child);
        const [first] = own;
        if (member.list === true)
          setOwn(
            members,
            member.key,
            own.map((child) => this.read(member, child, path)),
          );
        else if (first) setOwn(members, member.key, this.read(member, first, path));
      }
    }
    for (const [name, value] of readOthers(found, known))
      if (!Object.hasOwn(members, name)) setOwn(members, name, value);
    return members;
  }

  #namespace = ({ ns }: SoapElement): string => (ns === undefined ? '' : (this.#soap.namespaces[ns] ?? ''));

  /** Servers often get the namespace of inner elements wrong, so a name alone suffices if no element has both. */
  #findAll(member: SoapElement, { children }: XmlElement): XmlElement[] {
    const named = children.filter(({ name }) => name === member.name);
    const exact = named.filter(({ namespace }) => namespace === this.#namespace(member));
    return exact.length > 0 ? exact : named;
  }

  #follow(element: XmlElement): XmlElement {
    const href = this.#byId.size === 0 ? '' : xmlAttribute(element, 'href') || xmlAttribute(element, 'ref');
    const found = href === '' || element.children.length > 0 ? undefined : this.#byId.get(href.replace(/^#/, ''));
    if (!found) return element;
    // Each reference repeats its target, so a small answer could become a huge value.
    this.#repeated += found.size;
    if (this.#repeated > maxRepeated)
      throw new NodeError('UNREADABLE', 'The answer refers to its own parts too often.');
    return found.target;
  }

  /** Reads a value whose type is not described. The element may name its type itself: `xsi:type="xsd:int"`. */
  #readUntyped(element: XmlElement): unknown {
    const [prefix = '', name = ''] = xmlAttribute(element, 'type', xsi).split(':');
    return name !== '' && element.scope.find(prefix) === xsd
      ? readScalar(`xs:${name}`, element.text)
      : readUntyped(element);
  }
}

/** Reads an element without a type, as text or as an object of its attributes and elements. Repeated elements become lists. */
export function readUntyped(element: XmlElement): unknown {
  const nil = xmlAttribute(element, 'nil', xsi);
  if (nil === 'true' || nil === '1') return null;
  const attributes = element.attributes.filter(({ namespace }) => namespace !== xsi);
  if (element.children.length === 0 && attributes.length === 0) return element.text;
  const members: Record<string, unknown> = {};
  for (const { name, value } of attributes) setOwn(members, `@${name}`, value);
  if (element.text.trim() !== '') members['#text'] = element.text.trim();
  for (const [name, value] of readOthers(element, new Set())) setOwn(members, name, value);
  return members;
}

const measure = ({ text, children }: XmlElement): number =>
  children.reduce((size, child) => size + measure(child), text.length + 10);

function readOthers({ children }: XmlElement, known: ReadonlySet<XmlElement>): [name: string, value: unknown][] {
  const groups = Map.groupBy(
    children.filter((child) => !known.has(child)),
    ({ name }) => name,
  );
  return [...groups].map(([name, group]) => {
    const values = group.map((child) => readUntyped(child));
    return [name, values.length === 1 ? values[0] : values];
  });
}

function readScalar(type: string, text: string): unknown {
  const trimmed = text.trim();
  if (type === 'xs:boolean') {
    if (trimmed === 'true' || trimmed === '1') return true;
    return trimmed === 'false' || trimmed === '0' ? false : trimmed;
  }
  if (!numbers.has(type)) return text;
  // XML Schema allows +1, 007, .5 and 5., which JSON does not.
  const [, sign = '', whole = '', fraction = '', exponent = ''] = numberText.exec(trimmed) ?? [];
  if (`${whole}${fraction}` === '') return trimmed;
  const digits = `${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`;
  return exactNumber(`${sign === '-' ? '-' : ''}${digits}${exponent}`);
}
