import type { CallSoap, SoapElement, SoapType } from '#src/automation/node-api/api-call.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { escapeAttribute, escapeXml } from './escape-xml.ts';

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The characters that XML cannot have. */
const forbidden = /[^\t\n\r\u0020-\ufffd]/;

const floats = new Set(['xs:float', 'xs:double']);

/** Writes values as elements, with the names, namespaces and order of a call's types. */
export class ValueWriter {
  readonly #soap: CallSoap;
  /** The namespaces that were used, which the envelope must declare. */
  readonly used = new Set<number>();

  constructor(soap: CallSoap) {
    this.#soap = soap;
  }

  /** Writes an element, or several for a list. `path` names the place of the value in messages. */
  write(element: SoapElement, value: unknown, path: string): string {
    if (!Array.isArray(value) || this.#type(element)?.array === true) return this.#one(element, value, path);
    if (element.list !== true) throw wrong(path, 'must be one value, not a list.');
    return value.map((item, index) => this.#one(element, item, `${path}.${index}`)).join('');
  }

  #type({ type }: SoapElement): SoapType | undefined {
    return Object.hasOwn(this.#soap.types, type) ? this.#soap.types[type] : undefined;
  }

  /** The name with the prefix of its namespace: `n0` for the first one. */
  #name({ name, ns }: Pick<SoapElement, 'name' | 'ns'>): string {
    if (ns === undefined) return name;
    this.used.add(ns);
    return `n${ns}:${name}`;
  }

  #one(element: SoapElement, value: unknown, path: string): string {
    const name = this.#name(element);
    if (value === undefined || value === null)
      return value === null && element.nillable === true ? `<${name} xsi:nil="true"/>` : '';
    const type = this.#type(element);
    const kind = this.#soap.encoded === true ? this.#kind(element, type, value) : '';
    const { attributes, content } = type ? this.#content(type, value, path) : writeAny(element.type, value, path);
    return content === '' ? `<${name}${kind}${attributes}/>` : `<${name}${kind}${attributes}>${content}</${name}>`;
  }

  /** The attributes that name the type of an encoded value. */
  #kind({ type: written }: SoapElement, type: SoapType | undefined, value: unknown): string {
    if (!type) return written === 'xs:anyType' ? '' : ` xsi:type="xsd:${written.slice('xs:'.length)}"`;
    if (type.array === true) {
      const [item] = type.members;
      const itemType = item && this.#type(item);
      const name =
        itemType?.name === undefined ? 'xsd:anyType' : this.#name({ name: itemType.name, ...namespaceIndex(itemType) });
      const itemName = item?.type.startsWith('xs:') === true ? `xsd:${item.type.slice('xs:'.length)}` : name;
      const size = Array.isArray(value) ? value.length : 1;
      return this.#soap.version === '1.1'
        ? ` xsi:type="enc:Array" enc:arrayType="${itemName}[${size}]"`
        : ` xsi:type="enc:Array" enc:itemType="${itemName}" enc:arraySize="${size}"`;
    }
    return type.name === undefined ? '' : ` xsi:type="${this.#name({ name: type.name, ...namespaceIndex(type) })}"`;
  }

  #content(type: SoapType, value: unknown, path: string): { attributes: string; content: string } {
    const [item] = type.members;
    if (type.array === true && item) {
      const items = Array.isArray(value) ? (value as unknown[]) : [value];
      const written = items.map((each, index) => this.#one({ ...item, nillable: true }, each, `${path}.${index}`));
      return { attributes: '', content: written.join('') };
    }
    const text = type.members.find(({ as }) => as === 'text');
    if (!isMembers(value)) {
      if (text && typeof value !== 'object')
        return { attributes: '', content: escapeXml(writeScalar(text.type, value, path)) };
      throw wrong(path, 'must be an object.');
    }
    const known = new Set(type.members.map(({ key }) => key));
    const others = Object.keys(value).filter((key) => !known.has(key));
    if (others[0] !== undefined && type.open !== true) throw wrong(path, `has no member "${others[0].slice(0, 100)}".`);
    let attributes = '';
    let content = '';
    for (const member of type.members) {
      const own = Object.hasOwn(value, member.key) ? value[member.key] : undefined;
      const place = `${path}.${member.key}`;
      if (own === undefined) continue;
      if (member.as === undefined) content += this.write(member, own, place);
      else if (own === null) continue;
      else if (member.as === 'text') content += escapeXml(writeScalar(member.type, own, place));
      else attributes += ` ${this.#name(member)}="${escapeAttribute(writeScalar(member.type, own, place))}"`;
    }
    for (const key of others) content += writeOther(key, value[key], `${path}.${key}`);
    return { attributes, content };
  }
}

const namespaceIndex = ({ ns }: SoapType): { ns?: number } => (ns === undefined ? {} : { ns });

/** Writes a value that may have the type `anyType`. The members of an object become elements without a namespace. */
function writeAny(type: string, value: unknown, path: string): { attributes: string; content: string } {
  if (typeof value !== 'object' || value === null)
    return { attributes: '', content: escapeXml(writeScalar(type, value, path)) };
  if (type !== 'xs:anyType' || Array.isArray(value)) throw wrong(path, 'must be text, a number, true or false.');
  const content = Object.entries(value).map(([key, member]) => writeOther(key, member, `${path}.${key}`));
  return { attributes: '', content: content.join('') };
}

function writeOther(name: string, value: unknown, path: string): string {
  if (!/^[A-Za-z_][\w.-]*$/.test(name)) throw wrong(path, 'has a name that no element can have.');
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((item, index) => writeOther(name, item, `${path}.${index}`)).join('');
  return `<${name}>${writeAny('xs:anyType', value, path).content}</${name}>`;
}

function writeScalar(type: string, value: unknown, path: string): string {
  if (typeof value === 'object') throw wrong(path, 'must be text, a number, true or false.');
  const text =
    typeof value === 'number' && !floats.has(type) ? plainNumber(value) : `${value as string | number | boolean}`;
  if (forbidden.test(text)) throw wrong(path, 'has control characters, which XML cannot have.');
  return type === 'xs:dateTime' ? isoInstant(text) : text;
}

/** XML Schema allows exponents in floating-point numbers only. */
const plainNumber = (value: number): string =>
  Number.isFinite(value) && /e/.test(String(value))
    ? value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 100 })
    : String(value);

/** Forms allow a time with a space in place of the T, or without seconds. XML Schema allows neither. */
const isoInstant = (text: string): string =>
  text
    .replace(/^(\d{4}-\d{2}-\d{2})[Tt ]/, '$1T')
    .replace(/T(\d{2}:\d{2})(?=$|[Zz+-])/, 'T$1:00')
    .replace(/z$/, 'Z');

export const wrong = (path: string, rule: string): NodeError =>
  new NodeError('INVALID_CONFIG', `config.${path}: ${rule}`);
