import { strictXml } from './strict-xml.ts';

/** An element of an XML document whose names are resolved by their namespaces. */
export interface XmlElement {
  /** Without a prefix. */
  name: string;
  /** Empty if the element is in no namespace. */
  namespace: string;
  attributes: XmlAttribute[];
  children: XmlElement[];
  /** The element's own text, without that of its children. */
  text: string;
  /** Resolves prefixes in attribute values and in text. */
  scope: XmlScope;
}

export interface XmlAttribute {
  name: string;
  namespace: string;
  value: string;
}

/** The namespaces declared at an element. An element without declarations shares the scope of its parent, because most have none. */
export class XmlScope {
  readonly #own: ReadonlyMap<string, string>;
  readonly #parent: XmlScope | undefined;

  constructor(own: ReadonlyMap<string, string>, parent?: XmlScope) {
    this.#own = own;
    this.#parent = parent;
  }

  /** The namespace of a prefix; undefined if it is not declared. The empty prefix stands for the default namespace. */
  find(prefix: string): string | undefined {
    return this.#own.get(prefix) ?? this.#parent?.find(prefix);
  }
}

export interface XmlLimits {
  depth: number;
  elements: number;
  fault: (reason: string) => Error;
}

const root = new XmlScope(
  new Map([
    ['', ''],
    ['xml', 'http://www.w3.org/XML/1998/namespace'],
  ]),
);

/** Parses a document into a tree. Throws `fault` for documents that `strictXml` refuses, for undeclared prefixes and beyond the limits. */
export function parseXmlTree(text: string, { depth, elements: maxElements, fault }: XmlLimits): XmlElement {
  const open: { element: XmlElement; pieces: string[] }[] = [];
  let document: XmlElement | undefined;
  let count = 0;
  const parser = strictXml({ lastRead: () => `line ${parser.line + 1}`, fault });
  const resolve = (scope: XmlScope, name: string, isAttribute: boolean): { name: string; namespace: string } => {
    const colon = name.indexOf(':');
    if (colon < 0) return { name, namespace: isAttribute ? '' : (scope.find('') ?? '') };
    const namespace = scope.find(name.slice(0, colon));
    if (namespace === undefined)
      throw fault(`The XML uses the prefix "${name.slice(0, Math.min(colon, 64))}" without declaring it.`);
    return { name: name.slice(colon + 1), namespace };
  };
  const addText = (piece: string): void => void open.at(-1)?.pieces.push(piece);
  parser.onopentag = ({ name, attributes }) => {
    count += 1;
    if (open.length === depth || count > maxElements)
      throw fault(`The XML has more than ${maxElements} elements, or nests them deeper than ${depth}.`);
    const around = open.at(-1)?.element;
    const pairs = Object.entries(attributes as Record<string, string>);
    const declared = pairs.filter(([key]) => key === 'xmlns' || key.startsWith('xmlns:'));
    const outer = around?.scope ?? root;
    const scope =
      declared.length === 0 ? outer : new XmlScope(new Map(declared.map(([key, uri]) => [key.slice(6), uri])), outer);
    const element: XmlElement = {
      ...resolve(scope, name, false),
      attributes: pairs
        .filter((pair) => !declared.includes(pair))
        .map(([key, value]) => ({ ...resolve(scope, key, true), value })),
      children: [],
      text: '',
      scope,
    };
    if (around) around.children.push(element);
    else document = element;
    open.push({ element, pieces: [] });
  };
  // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onclosetag = () => {
    const closed = open.pop();
    if (closed) closed.element.text = closed.pieces.join('');
  };
  parser.write(text).close();
  if (!document) throw fault('The XML has no element.');
  return document;
}

/** The value of an attribute in the given namespace, or without a namespace; empty if it is missing. */
export const xmlAttribute = ({ attributes }: XmlElement, name: string, namespace = ''): string =>
  attributes.find((each) => each.name === name && each.namespace === namespace)?.value ?? '';

export const xmlChildren = ({ children }: XmlElement, namespace: string, ...names: string[]): XmlElement[] =>
  children.filter((child) => child.namespace === namespace && names.includes(child.name));
