import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import { xmlAttribute, type XmlElement } from '#src/infra/xml/xml-tree.ts';

export const wsdl = 'http://schemas.xmlsoap.org/wsdl/';
export const xsd = 'http://www.w3.org/2001/XMLSchema';
/** The namespaces of the encoding of SOAP 1.1 and 1.2. */
export const encodings: readonly string[] = [
  'http://schemas.xmlsoap.org/soap/encoding/',
  'http://www.w3.org/2003/05/soap-encoding',
];
/** The namespaces of the bindings of SOAP, with the version of the envelope. */
export const soapBindings: Readonly<Record<string, '1.1' | '1.2'>> = {
  'http://schemas.xmlsoap.org/wsdl/soap/': '1.1',
  'http://schemas.xmlsoap.org/wsdl/soap12/': '1.2',
};

export interface QualifiedName {
  namespace: string;
  name: string;
}

export const nameKey = ({ namespace, name }: QualifiedName): string => `{${namespace}}${name}`;

/** Resolves a qualified name in an attribute, such as `type="tns:Order"`; undefined if the attribute is missing. */
export function readName(element: XmlElement, attribute: string, namespace = ''): QualifiedName | undefined {
  const value = xmlAttribute(element, attribute, namespace).trim();
  return value === '' ? undefined : resolveName(element, value);
}

export function resolveName({ scope }: XmlElement, value: string): QualifiedName {
  const colon = value.indexOf(':');
  const found = scope.find(colon < 0 ? '' : value.slice(0, colon));
  if (found === undefined)
    throw new Unsupported(`It uses the prefix of "${value.slice(0, 100)}" without declaring it.`);
  return { namespace: found, name: value.slice(colon + 1) };
}

/** Names of elements and attributes are sent as they are, so a description must not contain others. */
export function checkedName(name: string): string {
  if (/^[\p{L}_][\p{L}\p{N}\p{M}._\u00b7-]{0,127}$/u.test(name)) return name;
  throw new Unsupported(`It uses the name "${name.slice(0, 100)}", which no element of XML can have here.`);
}
