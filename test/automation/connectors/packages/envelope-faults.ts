import { parseXmlTree, xmlAttribute, xmlChildren, type XmlElement } from '#src/infra/xml/xml-tree.ts';

/**
 * Checks envelopes against the schemas of a description, element by element: names, namespaces, order, number and simple values. It follows
 * XML Schema itself and shares no code with the reader of descriptions.
 */

const xsd = 'http://www.w3.org/2001/XMLSchema';
const wsdl = 'http://schemas.xmlsoap.org/wsdl/';
const xsi = 'http://www.w3.org/2001/XMLSchema-instance';
const soapArray = /\/soap\/encoding\/$|\/soap-encoding$/;

const parse = (text: string): XmlElement =>
  parseXmlTree(text, { depth: 500, elements: 1e6, fault: (reason) => new Error(reason) });

const lexical: Record<string, RegExp> = {
  int: /^[+-]?\d+$/,
  long: /^[+-]?\d+$/,
  boolean: /^(true|false|0|1)$/,
  double: /^([+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|INF|-INF|NaN)$/,
  decimal: /^[+-]?(\d+(\.\d*)?|\.\d+)$/,
  dateTime: /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/,
  date: /^-?\d{4,}-\d\d-\d\d(Z|[+-]\d\d:\d\d)?$/,
};

interface Place {
  schema: XmlElement;
  element: XmlElement;
}

export class EnvelopeCheck {
  readonly #root: XmlElement;
  readonly #schemas: XmlElement[];

  constructor(description: string) {
    this.#root = parse(description);
    this.#schemas = xmlChildren(this.#root, wsdl, 'types').flatMap((types) => xmlChildren(types, xsd, 'schema'));
  }

  /** Lists the faults of an envelope that is sent to an operation. Operations of these descriptions have different names. */
  faults(operation: string, text: string, namespace: string): string[] {
    const envelope = parse(text);
    if (envelope.name !== 'Envelope' || envelope.namespace !== namespace) return [`The root is ${envelope.name}.`];
    const parts = envelope.children.map((child) => child.name);
    if (!['Body', 'Header,Body'].includes(parts.join())) return [`The envelope has ${parts.join()}.`];
    const contents = envelope.children.at(-1)?.children ?? [];
    const bound = this.#bound(operation);
    const [input] = xmlChildren(bound.operation, wsdl, 'input');
    const body = input?.children.find(({ name }) => name === 'body') as XmlElement;
    const message = this.#message(operation);
    const [first, ...others] = contents;
    if (!first || others.length > 0) return [`The body has ${contents.length} elements.`];
    const faults: string[] = [];
    if (bound.style === 'rpc') {
      if (first.name !== operation || first.namespace !== xmlAttribute(body, 'namespace'))
        faults.push(`It sends {${first.namespace}}${first.name}.`);
      const wanted = xmlChildren(message, wsdl, 'part');
      const names = first.children.map(({ name, namespace: given }) => given + name).join();
      if (names !== wanted.map((part) => xmlAttribute(part, 'name')).join()) faults.push(`It has the parts ${names}.`);
      for (const [index, part] of wanted.entries()) {
        const given = first.children[index];
        if (given) this.#checkType(part, xmlAttribute(part, 'type'), given, faults);
        if (given && xmlAttribute(body, 'use') === 'encoded' && xmlAttribute(given, 'type', xsi) === '')
          faults.push(`${given.name} has no type.`);
      }
      return faults;
    }
    const [part] = xmlChildren(message, wsdl, 'part');
    const [space, name] = this.#resolve(part as XmlElement, xmlAttribute(part as XmlElement, 'element'));
    this.#checkElement(this.#global('element', space, name), first, faults);
    return faults;
  }

  #bound(operation: string): { operation: XmlElement; style: string } {
    for (const binding of xmlChildren(this.#root, wsdl, 'binding')) {
      const found = xmlChildren(binding, wsdl, 'operation').find((each) => xmlAttribute(each, 'name') === operation);
      const own = [binding, ...(found ? [found] : [])]
        .flatMap(({ children }) => children)
        .map((each) => xmlAttribute(each, 'style'));
      if (found) return { operation: found, style: own.findLast((style) => style !== '') ?? 'document' };
    }
    throw new Error(`No binding has ${operation}.`);
  }

  #message(operation: string): XmlElement {
    const ports = xmlChildren(this.#root, wsdl, 'portType').flatMap((port) => xmlChildren(port, wsdl, 'operation'));
    const found = ports.find((each) => xmlAttribute(each, 'name') === operation) as XmlElement;
    const [input] = xmlChildren(found, wsdl, 'input');
    const name = xmlAttribute(input as XmlElement, 'message').replace(/^.*:/, '');
    return xmlChildren(this.#root, wsdl, 'message').find((each) => xmlAttribute(each, 'name') === name) as XmlElement;
  }

  #resolve({ scope }: XmlElement, name: string): [namespace: string, name: string] {
    const [local = '', prefix = ''] = name.split(':').toReversed();
    return [scope.find(prefix) as string, local];
  }

  #global(kind: string, namespace: string, name: string): Place {
    for (const schema of this.#schemas) {
      if (xmlAttribute(schema, 'targetNamespace') !== namespace) continue;
      const element = xmlChildren(schema, xsd, kind).find((each) => xmlAttribute(each, 'name') === name);
      if (element) return { schema, element };
    }
    throw new Error(`There is no ${kind} {${namespace}}${name}.`);
  }

  #checkElement({ schema, element }: Place, given: XmlElement, faults: string[]): void {
    const isGlobal = schema.children.includes(element);
    const isQualified = isGlobal || xmlAttribute(schema, 'elementFormDefault') === 'qualified';
    const namespace = isQualified ? xmlAttribute(schema, 'targetNamespace') : '';
    if (given.name !== xmlAttribute(element, 'name') || given.namespace !== namespace)
      faults.push(`{${given.namespace}}${given.name} is not {${namespace}}${xmlAttribute(element, 'name')}.`);
    if (xmlAttribute(given, 'nil', xsi) === 'true' && xmlAttribute(element, 'nillable') !== 'true')
      faults.push(`${given.name} is nil.`);
    const [complex] = xmlChildren(element, xsd, 'complexType');
    if (complex) this.#checkContent({ schema, element: complex }, given, faults);
    else this.#checkType(element, xmlAttribute(element, 'type'), given, faults);
  }

  #checkType(at: XmlElement, type: string, given: XmlElement, faults: string[]): void {
    const [namespace, name] = this.#resolve(at, type);
    if (namespace !== xsd) return this.#checkContent(this.#global('complexType', namespace, name), given, faults);
    if (given.children.length > 0) faults.push(`${given.name} has elements.`);
    if (!(lexical[name] ?? /^[^]*$/).test(given.text)) faults.push(`${given.name} is no ${name}: ${given.text}.`);
  }

  #checkContent({ schema, element }: Place, given: XmlElement, faults: string[]): void {
    const [complex] = xmlChildren(element, xsd, 'complexContent');
    const [restriction] = complex ? xmlChildren(complex, xsd, 'restriction') : [];
    if (restriction && soapArray.test(this.#resolve(restriction, xmlAttribute(restriction, 'base'))[0])) return;
    const [sequence] = xmlChildren(element, xsd, 'sequence');
    let at = 0;
    for (const particle of sequence ? xmlChildren(sequence, xsd, 'element') : []) {
      const written = xmlAttribute(particle, 'maxOccurs') || '1';
      const max = written === 'unbounded' ? Infinity : Number(written);
      let count = 0;
      while (given.children[at]?.name === xmlAttribute(particle, 'name') && count < max) {
        this.#checkElement({ schema, element: particle }, given.children[at] as XmlElement, faults);
        at += 1;
        count += 1;
      }
      if (count < Number(xmlAttribute(particle, 'minOccurs') || '1'))
        faults.push(`${given.name} has no ${xmlAttribute(particle, 'name')}.`);
    }
    if (at < given.children.length) faults.push(`${given.name} has ${given.children[at]?.name} in the wrong place.`);
  }
}
