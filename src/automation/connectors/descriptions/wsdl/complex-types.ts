import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { xmlAttribute, xmlChildren } from '#src/infra/xml/xml-tree.ts';
import {
  allowNull,
  canRepeat,
  describe,
  type Found,
  isFormQualified,
  readElement,
  type TypeFinder,
} from './elements.ts';
import { checkedName, encodings, nameKey, type QualifiedName, readName, resolveName, wsdl, xsd } from './namespaces.ts';
import { builtinType, readSimpleType, type SimpleType } from './simple-types.ts';
import type { Declared } from './xsd-model.ts';

/** An element or attribute of a type. Its namespace is a URI. */
export interface Member {
  key: string;
  name: string;
  namespace: string;
  type: string;
  as?: 'attribute' | 'text';
  list?: true;
  nillable?: true;
}

/** The content of a type, for the envelope and for forms. */
export interface TypeContent {
  members: Member[];
  properties: [key: string, schema: JsonSchema][];
  required: string[];
  isOpen: boolean;
  isArray: boolean;
}

const maxNesting = 50;
const maxMembers = 2_000;

const groups = ['sequence', 'all', 'choice'];

/** Reads what a `complexType` contains, including the content of its bases. */
export function readContent(finder: TypeFinder, declared: Declared): TypeContent {
  const content: TypeContent = { members: [], properties: [], required: [], isOpen: false, isArray: false };
  new ContentReader(finder, content).read(declared, 0);
  return content;
}

class ContentReader {
  readonly #finder: TypeFinder;
  readonly #content: TypeContent;
  /** Members by the name of their element. A repeated element is a list. */
  readonly #known = new Map<string, Member>();

  constructor(finder: TypeFinder, content: TypeContent) {
    this.#finder = finder;
    this.#content = content;
  }

  read({ element, schema }: Declared, depth: number): void {
    if (depth > maxNesting) throw new Unsupported(`It uses a type that extends more than ${maxNesting} others.`);
    if (xmlAttribute(element, 'mixed') === 'true') this.#addText(builtinType('string'));
    const [content] = xmlChildren(element, xsd, 'complexContent', 'simpleContent');
    const [derivation] = content ? xmlChildren(content, xsd, 'extension', 'restriction') : [];
    if (!content || !derivation) return this.#readParts({ element, schema }, depth);
    const base = readName(derivation, 'base') ?? { namespace: xsd, name: 'anyType' };
    if (encodings.includes(base.namespace) && base.name === 'Array')
      return this.#readArray({ element: derivation, schema });
    const parent = this.#finder.model.find('complexType', base);
    if (content.name === 'simpleContent' && !parent) this.#addText(this.#simple(base));
    else if (parent && (derivation.name === 'extension' || content.name === 'simpleContent'))
      this.read(parent, depth + 1);
    else if (!parent && base.namespace !== xsd) throw this.#finder.model.missing('type', base);
    this.#readParts({ element: derivation, schema }, depth);
  }

  #simple(name: QualifiedName): SimpleType | Found {
    return this.#finder.named(name);
  }

  #addText({ type, schema }: Found): void {
    if (this.#content.members.some(({ as }) => as === 'text')) return;
    this.#content.members.push({ key: '#text', name: '', namespace: '', type, as: 'text' });
    this.#content.properties.push(['#text', schema]);
  }

  #readParts(declared: Declared, depth: number): void {
    for (const child of declared.element.children) {
      if (child.namespace !== xsd) continue;
      const inner = { element: child, schema: declared.schema };
      if (groups.includes(child.name) || child.name === 'group') this.#readGroup(inner, false, false, depth);
      else if (child.name === 'attribute') this.#readAttribute(inner);
      else if (child.name === 'attributeGroup') this.#readAttributeGroup(inner, depth);
    }
  }

  #readGroup({ element, schema }: Declared, isOptional: boolean, isRepeated: boolean, depth: number): void {
    if (depth > maxNesting) throw new Unsupported(`It uses groups that are nested more than ${maxNesting} times.`);
    const optional = isOptional || xmlAttribute(element, 'minOccurs') === '0' || element.name === 'choice';
    const repeated = isRepeated || canRepeat(element);
    if (element.name === 'group') {
      const name = readName(element, 'ref');
      const found = name && this.#finder.model.get('group', name);
      for (const child of found?.element.children ?? []) {
        if (found && groups.includes(child.name))
          this.#readGroup({ element: child, schema: found.schema }, optional, repeated, depth + 1);
      }
      return;
    }
    for (const child of element.children) {
      const inner = { element: child, schema };
      if (child.name === 'element') this.#readElement(inner, optional, repeated);
      else if (child.name === 'any') this.#content.isOpen = true;
      else if (groups.includes(child.name) || child.name === 'group')
        this.#readGroup(inner, optional, repeated, depth + 1);
    }
  }

  #readElement(declared: Declared, isOptional: boolean, isRepeated: boolean): void {
    const { element } = declared;
    if (xmlAttribute(element, 'maxOccurs') === '0') return;
    // .NET describes a data set as a schema, followed by any elements that fit the schema.
    if (readName(element, 'ref')?.namespace === xsd) {
      this.#content.isOpen = true;
      return;
    }
    const { name, namespace, nillable, found } = readElement(this.#finder, declared);
    const same = this.#known.get(nameKey({ namespace, name }));
    if (same) return this.#repeat(same);
    const list = isRepeated || canRepeat(element);
    const key = this.#freeKey(name);
    const member: Member = {
      key,
      name,
      namespace,
      type: found.type,
      ...(list && { list }),
      ...(nillable && { nillable }),
    };
    this.#known.set(nameKey({ namespace, name }), member);
    const schema = describe(element, nillable ? allowNull(found.schema) : found.schema);
    this.#add(member, list ? { type: 'array', items: schema } : schema);
    if (!isOptional && xmlAttribute(element, 'minOccurs') !== '0' && !nillable) this.#content.required.push(key);
  }

  #repeat(member: Member): void {
    if (member.list) return;
    member.list = true;
    const property = this.#content.properties.find(([key]) => key === member.key);
    if (property) property[1] = { type: 'array', items: property[1] };
  }

  #readAttributeGroup({ element }: Declared, depth: number): void {
    const name = readName(element, 'ref');
    if (name) this.#readParts(this.#finder.model.get('attributeGroup', name), this.#deeper(depth));
  }

  #deeper(depth: number): number {
    if (depth < maxNesting) return depth + 1;
    throw new Unsupported(`It uses groups that are nested more than ${maxNesting} times.`);
  }

  #readAttribute({ element, schema }: Declared): void {
    const ref = readName(element, 'ref');
    const global = ref && this.#finder.model.find('attribute', ref);
    const use = xmlAttribute(element, 'use');
    // Attributes of XML itself, such as xml:lang, and of SOAP's encoding are not declared in the file.
    if ((ref && !global) || use === 'prohibited') return;
    const own = global ?? { element, schema };
    const name = checkedName(xmlAttribute(own.element, 'name'));
    const isQualified = global || isFormQualified(element, schema.areAttributesQualified);
    const typeName = readName(own.element, 'type');
    const [inner] = xmlChildren(own.element, xsd, 'simpleType');
    const found = inner
      ? readSimpleType(this.#finder.model, inner)
      : typeName
        ? this.#simple(typeName)
        : builtinType('string');
    const key = this.#freeKey(`@${name}`);
    const namespace = isQualified ? own.schema.targetNamespace : '';
    this.#add({ key, name, namespace, type: found.type, as: 'attribute' }, describe(own.element, found.schema));
    if (use === 'required') this.#content.required.push(key);
  }

  /** An array of SOAP's encoding. Its items may have any name, and its type names that of the items: `xsd:string[]`. */
  #readArray({ element, schema }: Declared): void {
    this.#content.isArray = true;
    const listed = element.children
      .filter(({ name }) => groups.includes(name))
      .flatMap((group) => xmlChildren(group, xsd, 'element'));
    const written = xmlChildren(element, xsd, 'attribute')
      .map((attribute) => ({ attribute, type: xmlAttribute(attribute, 'arrayType', wsdl) }))
      .find(({ type }) => type !== '');
    const itemType = written && resolveName(written.attribute, written.type.replace(/(\[[\d,]*\])+$/, ''));
    const found = listed[0]
      ? readElement(this.#finder, { element: listed[0], schema }).found
      : itemType
        ? this.#finder.named(itemType)
        : builtinType('anyType');
    this.#content.members.push({ key: 'item', name: 'item', namespace: '', type: found.type, list: true });
    this.#content.properties.push(['item', found.schema]);
  }

  #add(member: Member, schema: JsonSchema): void {
    if (this.#content.members.length === maxMembers)
      throw new Unsupported(`It uses a type of more than ${maxMembers} members.`);
    this.#content.members.push(member);
    this.#content.properties.push([member.key, schema]);
  }

  #freeKey(name: string): string {
    const isTaken = (key: string) => key === '__proto__' || this.#content.members.some((member) => member.key === key);
    let key = name;
    for (let count = 2; isTaken(key); count += 1) key = `${name.slice(0, 120)}_${count}`;
    return key;
  }
}
