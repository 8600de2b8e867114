import type {
  ApiDescription,
  ApiOperation,
  ApiParameter,
  ApiServer,
  SkippedOperation,
} from '#src/automation/connectors/descriptions/api-description.ts';
import {
  assertOperationCount,
  type DescriptionSource,
} from '#src/automation/connectors/descriptions/description-source.ts';
import { nameOperations } from '#src/automation/connectors/descriptions/names.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import { orReason, Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import { xmlAttribute, xmlChildren, type XmlElement } from '#src/infra/xml/xml-tree.ts';
import { documentation } from './elements.ts';
import { readEnvelope } from './envelope.ts';
import { wsdl } from './namespaces.ts';
import { parseWsdl, readBinding, readPort, type SoapPort, type WsdlModel } from './wsdl-model.ts';
import { XsdTypes } from './xsd-types.ts';

/** Reads a description of a SOAP service, WSDL 1.1: each operation of its ports over HTTP. */
export function readWsdl(text: string, { hash, from }: DescriptionSource): ApiDescription {
  const model = parseWsdl(text);
  const types = new XsdTypes(model.schemas);
  const skipped: SkippedOperation[] = model.imports.map((location) => ({
    operation: plainText(`import of ${location}`, 200),
    reason: 'It is another file, and nothing is fetched. Use a description that contains everything.',
  }));
  const ports = listPorts(model, skipped);
  assertOperationCount(ports.reduce((sum, { binding }) => sum + xmlChildren(binding, wsdl, 'operation').length, 0));
  const drafts = ports.flatMap((port) => readOperations(port, model, types, skipped));
  const names = nameOperations(drafts.map(({ id, operation: { method, path }, more }) => ({ id, method, path, more })));
  const { definitions } = model;
  const [service] = xmlChildren(definitions, wsdl, 'service');
  const title = (service && xmlAttribute(service, 'name')) || xmlAttribute(definitions, 'name') || 'SOAP service';
  const operations = drafts.map(({ operation }, index) => {
    const name = names[index] ?? '';
    return { ...operation, name, title: operation.title || name };
  });
  return {
    kind: 'soap',
    title: plainText(title, 80),
    version: '',
    hash,
    servers: drafts[0]?.operation.servers ?? fromUrl(from),
    // Descriptions rarely say how requests authenticate.
    security: { basic: { type: 'basic' }, usernameToken: { type: 'username_token' }, bearer: { type: 'bearer' } },
    operations,
    definitions: types.definitions(new Set(operations.flatMap(({ soap }) => Object.keys(soap?.types ?? {})))),
    skipped,
  };
}

/** The ports of the services that use SOAP over HTTP; without services, all bindings. */
function listPorts(model: WsdlModel, skipped: SkippedOperation[]): SoapPort[] {
  const services = xmlChildren(model.definitions, wsdl, 'service');
  const given = services.flatMap((service) =>
    xmlChildren(service, wsdl, 'port').map((port) => ({
      label: `port ${xmlAttribute(port, 'name')}`,
      read: () => readPort(model, service, port),
    })),
  );
  const bindings = xmlChildren(model.definitions, wsdl, 'binding').map((binding) => {
    const name = xmlAttribute(binding, 'name');
    return {
      label: `binding ${name}`,
      read: () => ({ ...readBinding(model, binding), service: '', port: name, address: '' }),
    };
  });
  const ports: SoapPort[] = [];
  for (const { label, read } of services.length > 0 ? given : bindings) {
    const result = orReason(read);
    if ('value' in result) ports.push(result.value);
    else skipped.push({ operation: plainText(label, 200), reason: result.reason });
  }
  // Services often offer the same operations by both versions of SOAP.
  return ports.filter((port) => {
    const other = ports.find(
      (each) =>
        each.version === '1.1' &&
        port.version === '1.2' &&
        each.service === port.service &&
        each.portType === port.portType,
    );
    if (other)
      skipped.push({
        operation: plainText(`port ${port.port}`, 200),
        reason: plainText(`It offers the operations of the port ${other.port} by SOAP 1.2.`, 300),
      });
    return other === undefined;
  });
}

interface Draft {
  id: string;
  more: string;
  operation: ApiOperation;
}

function readOperations(port: SoapPort, model: WsdlModel, types: XsdTypes, skipped: SkippedOperation[]): Draft[] {
  const { query, ...place } = readPlace(port.address);
  const abstracts = xmlChildren(port.portType, wsdl, 'operation');
  return xmlChildren(port.binding, wsdl, 'operation').flatMap((bound, index, all): Draft[] => {
    const id = xmlAttribute(bound, 'name');
    const result = orReason(() => {
      const abstract = findAbstract(bound, abstracts, all.slice(0, index));
      return { abstract, envelope: readEnvelope({ bound, abstract }, port, model, types) };
    });
    if ('reason' in result) {
      skipped.push({ operation: plainText(id, 200), reason: result.reason });
      return [];
    }
    const { abstract } = result.value;
    const { unknownHeaders, ...envelope } = result.value.envelope;
    const operation: ApiOperation = {
      ...place,
      ...envelope,
      parameters: [...query, ...envelope.parameters],
      name: '',
      title: plainText(id, 80),
      summary: describeOperation(abstract, unknownHeaders),
      tags: [plainText(port.service || port.port, 64)],
      deprecated: false,
      method: 'POST',
      security: [['basic'], ['usernameToken'], ['bearer'], []],
    };
    return [{ id, more: JSON.stringify([port.service, port.port, messageNames(abstract)]), operation }];
  });
}

function describeOperation(abstract: XmlElement, unknownHeaders: readonly string[]): string {
  const text = documentation(abstract, wsdl);
  if (unknownHeaders.length === 0) return text;
  const names = unknownHeaders.map((name) => `"${name.slice(0, 60)}"`).join(', ');
  return plainText(`The description lacks its header ${names}, which is not sent. ${text}`, 200);
}

const messageNames = (abstract: XmlElement): string[] =>
  xmlChildren(abstract, wsdl, 'input', 'output').map((each) => xmlAttribute(each, 'message'));

/** Finds the operation of the port type. Overloaded operations differ by the names of their messages, or come in the same order. */
function findAbstract(bound: XmlElement, abstracts: readonly XmlElement[], before: readonly XmlElement[]): XmlElement {
  const name = xmlAttribute(bound, 'name');
  const named = abstracts.filter((each) => xmlAttribute(each, 'name') === name);
  const input = (element: XmlElement): string => {
    const [found] = xmlChildren(element, wsdl, 'input');
    return found === undefined ? '' : xmlAttribute(found, 'name');
  };
  const byInput = input(bound) === '' ? [] : named.filter((each) => input(each) === input(bound));
  const position = before.filter((each) => xmlAttribute(each, 'name') === name).length;
  const found = byInput.length === 1 ? byInput[0] : named[position];
  if (found) return found;
  throw new Unsupported('Its binding names an operation that the port type does not have.');
}

interface Place extends Pick<ApiOperation, 'path'> {
  servers?: ApiServer[];
  query: ApiParameter[];
}

/** The parts of an address. The host is separate because a credential may name another one. */
function readPlace(address: string): Place {
  if (!URL.canParse(address)) return { path: '/', query: [] };
  const { origin, pathname, searchParams } = new URL(address);
  const path = pathname.replaceAll('{', '%7B').replaceAll('}', '%7D');
  const query = [...searchParams].map(([name, value]): ApiParameter => ({
    name,
    in: 'query',
    required: false,
    description: 'Part of the address.',
    schema: { type: 'string', default: value },
    style: 'form',
    explode: true,
    allowReserved: false,
    deprecated: false,
  }));
  return { path, servers: [{ url: origin, variables: {} }], query };
}

const fromUrl = (from: string): ApiServer[] =>
  URL.canParse(from) && /^https?:/i.test(from) ? [{ url: new URL(from).origin, variables: {} }] : [];
