import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import { AppError } from '#src/infra/errors.ts';
import { parseXmlTree, xmlAttribute, xmlChildren, type XmlElement } from '#src/infra/xml/xml-tree.ts';
import { nameKey, type QualifiedName, readName, soapBindings, wsdl, xsd } from './namespaces.ts';
import { XsdModel } from './xsd-model.ts';

const kinds = ['message', 'portType', 'binding'] as const;

export interface WsdlModel {
  definitions: XmlElement;
  schemas: XsdModel;
  /** Descriptions that the file imports. They are not read. */
  imports: string[];
  get: (kind: (typeof kinds)[number], name: QualifiedName | undefined) => XmlElement;
}

const limits = {
  depth: 200,
  elements: 2_000_000,
  fault: (reason: string) => new AppError('UNPROCESSABLE', reason),
};

/** Parses a description. Throws UNPROCESSABLE for XML that is not well-formed or declares entities. */
export function parseWsdl(text: string): WsdlModel {
  const definitions = parseXmlTree(text, limits);
  if (definitions.namespace !== wsdl || definitions.name !== 'definitions')
    throw new AppError(
      'UNPROCESSABLE',
      'The description is no WSDL 1.1. Use the file that the service gives at ?wsdl.',
    );
  const namespace = xmlAttribute(definitions, 'targetNamespace');
  const declared = new Map<string, XmlElement>();
  for (const element of xmlChildren(definitions, wsdl, ...kinds))
    declared.set(`${element.name} ${nameKey({ namespace, name: xmlAttribute(element, 'name') })}`, element);
  return {
    definitions,
    schemas: new XsdModel(
      xmlChildren(definitions, wsdl, 'types').flatMap((types) => xmlChildren(types, xsd, 'schema')),
    ),
    imports: xmlChildren(definitions, wsdl, 'import').map((element) => xmlAttribute(element, 'location')),
    get: (kind, name) => {
      const found = name && declared.get(`${kind} ${nameKey(name)}`);
      if (found) return found;
      throw new Unsupported(
        `It refers to the ${kind} "${name?.name.slice(0, 100) ?? ''}", which the file does not contain, and nothing is fetched.`,
      );
    },
  };
}

/** A binding of a service to SOAP over HTTP. */
export interface SoapPort {
  service: string;
  port: string;
  binding: XmlElement;
  portType: XmlElement;
  version: '1.1' | '1.2';
  style: 'document' | 'rpc';
  /** Empty if the description names none. */
  address: string;
}

const transports = [
  'http://schemas.xmlsoap.org/soap/http',
  'http://schemas.xmlsoap.org/soap/http/',
  'http://www.w3.org/2003/05/soap/bindings/HTTP/',
];

/** Reads a port of a service. Throws Unsupported for bindings to anything but SOAP over HTTP. */
export function readPort(model: WsdlModel, service: XmlElement, port: XmlElement): SoapPort {
  const binding = model.get('binding', readName(port, 'binding'));
  return {
    ...readBinding(model, binding),
    service: xmlAttribute(service, 'name'),
    port: xmlAttribute(port, 'name'),
    address: readAddress(port),
  };
}

export function readBinding(
  model: WsdlModel,
  binding: XmlElement,
): Pick<SoapPort, 'binding' | 'portType' | 'version' | 'style'> {
  const soap = binding.children.find(
    ({ name, namespace }) => name === 'binding' && Object.hasOwn(soapBindings, namespace),
  );
  const version = soap && soapBindings[soap.namespace];
  if (!soap || !version) {
    const other = binding.children.find(({ name }) => name === 'binding')?.namespace ?? '';
    throw new Unsupported(
      /\/http\/?$/.test(other)
        ? 'It is bound to plain HTTP instead of SOAP.'
        : `Its binding is not SOAP${other === '' ? '' : ` but "${other.slice(0, 150)}"`}.`,
    );
  }
  const transport = xmlAttribute(soap, 'transport');
  if (transport !== '' && !transports.includes(transport))
    throw new Unsupported(`It is sent by "${transport.slice(0, 150)}" instead of HTTP.`);
  return {
    binding,
    portType: model.get('portType', readName(binding, 'type')),
    version,
    style: xmlAttribute(soap, 'style') === 'rpc' ? 'rpc' : 'document',
  };
}

function readAddress(port: XmlElement): string {
  const address = port.children.find(
    ({ name, namespace }) => name === 'address' && Object.hasOwn(soapBindings, namespace),
  );
  const location = address === undefined ? '' : xmlAttribute(address, 'location').trim();
  if (location === '' || /^https?:\/\//i.test(location)) return location;
  throw new Unsupported(`Its address "${location.slice(0, 150)}" is not http or https.`);
}
