import type { ApiAnswer, ApiOperation, ApiParameter } from '#src/automation/connectors/descriptions/api-description.ts';
import { orReason, Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import type { SoapElement } from '#src/automation/node-api/api-call.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { xmlAttribute, xmlChildren, type XmlElement } from '#src/infra/xml/xml-tree.ts';
import type { Member } from './complex-types.ts';
import { readElement } from './elements.ts';
import { checkedName, readName, soapBindings, wsdl } from './namespaces.ts';
import type { SoapPort, WsdlModel } from './wsdl-model.ts';
import type { Collector, XsdTypes } from './xsd-types.ts';

/** The operation of a binding, and that of the port type with its messages. */
export interface BoundOperation {
  bound: XmlElement;
  abstract: XmlElement;
}

export type Envelope = Required<Pick<ApiOperation, 'soap' | 'answers' | 'parameters'>> &
  Pick<ApiOperation, 'body'> & {
    /** Names of headers that the file mentions without describing them. */
    unknownHeaders: string[];
  };

const mediaTypes = { '1.1': 'text/xml', '1.2': 'application/soap+xml' } as const;

/** Reads the envelopes of an operation's request and answers. Throws Unsupported for messages that cannot be written or read. */
export function readEnvelope(
  { bound, abstract }: BoundOperation,
  { version, style: byDefault }: SoapPort,
  model: WsdlModel,
  types: XsdTypes,
): Envelope {
  const collector = types.collect();
  const operation = soapChild(bound, 'operation');
  const style = (operation && xmlAttribute(operation, 'style')) || byDefault;
  const reader = new MessageReader(model, types, collector, style === 'rpc');
  const request = reader.read('input', xmlAttribute(abstract, 'name'), { bound, abstract });
  const response = reader.read('output', `${xmlAttribute(abstract, 'name')}Response`, { bound, abstract });
  const action = operation === undefined ? '' : xmlAttribute(operation, 'soapAction').trim();
  if (!/^[\x20\x21\x23-\x5b\x5d-\x7e]{0,900}$/.test(action))
    throw new Unsupported('Its SOAPAction has characters that a header cannot hold, or is too long.');
  const faults = readFaults({ bound, abstract }, reader);
  const answer = (status: string, schema: JsonSchema, fault?: ApiAnswer['fault']): ApiAnswer => ({
    status,
    ...(fault && { fault }),
    description: '',
    content: [{ mediaType: mediaTypes[version], schema, encoding: {} }],
    headers: [],
  });
  return {
    soap: {
      version,
      ...(action !== '' && { action }),
      input: request.elements,
      output: response.elements,
      ...(style === 'rpc' && { rpc: true }),
      ...(request.isEncoded && { encoded: true }),
      ...(request.headers.length > 0 && { headers: request.headers.map(({ element }) => element) }),
      ...collector.finish(),
    },
    unknownHeaders: request.unknownHeaders,
    parameters: request.headers.map(({ element, schema }): ApiParameter => ({
      name: element.key,
      in: 'envelope',
      required: false,
      description: 'A header of the envelope.',
      schema,
      style: 'simple',
      explode: false,
      allowReserved: false,
      deprecated: false,
    })),
    ...(request.schema && {
      body: {
        required: request.isRequired,
        description: '',
        content: [{ mediaType: mediaTypes[version], schema: request.schema, encoding: {} }],
      },
    }),
    answers: [
      response.schema ? answer('200', response.schema) : { status: '200', description: '', content: [], headers: [] },
      ...faults.map(({ name, element, schema }) =>
        answer('fault', faultSchema({ [element.key]: schema }), { name, element }),
      ),
      answer('fault', faultSchema()),
    ],
  };
}

const faultSchema = (detail: Record<string, JsonSchema> = {}): JsonSchema => ({
  type: 'object',
  properties: {
    faultcode: { type: 'string' },
    faultstring: { type: 'string' },
    faultactor: { type: 'string' },
    detail: { type: 'object', properties: detail },
  },
  required: ['faultcode', 'faultstring'],
});

const soapChild = (element: XmlElement, name: string): XmlElement | undefined =>
  element.children.find((child) => child.name === name && Object.hasOwn(soapBindings, child.namespace));

interface Part {
  element: SoapElement;
  schema: JsonSchema;
}

interface Message {
  elements: SoapElement[];
  /** Undefined if the message has no content. */
  schema: JsonSchema | undefined;
  isRequired: boolean;
  isEncoded: boolean;
  headers: Part[];
  unknownHeaders: string[];
}

const none: Message = {
  elements: [],
  schema: undefined,
  isRequired: false,
  isEncoded: false,
  headers: [],
  unknownHeaders: [],
};

class MessageReader {
  readonly #model: WsdlModel;
  readonly #types: XsdTypes;
  readonly #collector: Collector;
  readonly #isRpc: boolean;

  constructor(model: WsdlModel, types: XsdTypes, collector: Collector, isRpc: boolean) {
    this.#model = model;
    this.#types = types;
    this.#collector = collector;
    this.#isRpc = isRpc;
  }

  read(kind: 'input' | 'output', wrapper: string, { bound, abstract }: BoundOperation): Message {
    const [message] = xmlChildren(abstract, wsdl, kind);
    if (!message) return none;
    const [binding] = xmlChildren(bound, wsdl, kind);
    const body = binding && soapChild(binding, 'body');
    if (binding && !body && binding.children.some(({ name }) => name === 'multipartRelated'))
      throw new Unsupported('Its messages have attachments, which are not supported.');
    const headers = (binding?.children ?? []).filter(
      (child) => child.name === 'header' && Object.hasOwn(soapBindings, child.namespace),
    );
    const isEncoded = body !== undefined && xmlAttribute(body, 'use') === 'encoded';
    if (isEncoded && !this.#isRpc)
      throw new Unsupported('Its messages are encoded documents, which are not supported.');
    const names = body === undefined ? '' : xmlAttribute(body, 'parts');
    const parts = this.#parts(readName(message, 'message')).filter(
      (part) => names === '' || names.split(/\s+/).includes(xmlAttribute(part, 'name')),
    );
    const read = this.#isRpc ? this.#wrapped(kind, wrapper, body, parts) : parts.map((part) => this.element(part));
    return {
      ...combine(read),
      isEncoded,
      ...(kind === 'input' ? this.#headers(headers) : { headers: [], unknownHeaders: [] }),
    };
  }

  #parts(name: ReturnType<typeof readName>): XmlElement[] {
    return xmlChildren(this.#model.get('message', name), wsdl, 'part');
  }

  /** A part that is a global element. */
  element(part: XmlElement): Part {
    const name = readName(part, 'element');
    if (!name)
      throw new Unsupported(
        `Its message has the part "${xmlAttribute(part, 'name').slice(0, 100)}" without an element.`,
      );
    const { found, nillable } = readElement(this.#types, this.#types.model.get('element', name));
    const member: Member = { key: checkedName(name.name), ...name, type: found.type, ...(nillable && { nillable }) };
    return { element: this.#collector.add(member), schema: found.schema };
  }

  /** In the style rpc, an element named like the operation contains an element for each part. */
  #wrapped(kind: string, wrapper: string, body: XmlElement | undefined, parts: readonly XmlElement[]): Part[] {
    const members = parts.map((part): { member: Member; schema: JsonSchema } => {
      const type = readName(part, 'type');
      if (!type) throw new Unsupported('Its messages have the style rpc with elements instead of types.');
      const name = checkedName(xmlAttribute(part, 'name'));
      const found = this.#types.named(type);
      return { member: { key: name, name, namespace: '', type: found.type }, schema: found.schema };
    });
    const type = this.#collector.addType(
      `#${kind}`,
      members.map(({ member }) => member),
    );
    const namespace = body === undefined ? '' : xmlAttribute(body, 'namespace');
    const name = checkedName(wrapper);
    const properties = members.map(({ member, schema }): [string, JsonSchema] => [member.key, schema]);
    return [
      {
        element: this.#collector.add({ key: name, name, namespace, type }),
        schema: {
          type: 'object',
          properties: Object.fromEntries(properties),
          required: members.map(({ member }) => member.key),
        },
      },
    ];
  }

  /** A request can be sent without a header that the file does not describe, so such a header does not end the operation. */
  #headers(headers: readonly XmlElement[]): Pick<Message, 'headers' | 'unknownHeaders'> {
    const found: Part[] = [];
    const unknownHeaders: string[] = [];
    for (const header of headers) {
      const name = xmlAttribute(header, 'part');
      const part = orReason(() => {
        const parts = this.#parts(readName(header, 'message'));
        return this.element(parts.find((each) => xmlAttribute(each, 'name') === name) ?? header);
      });
      if ('value' in part) found.push(part.value);
      else unknownHeaders.push(name);
    }
    return { headers: found, unknownHeaders };
  }

  fault(message: XmlElement): Part[] {
    const parts = this.#parts(readName(message, 'message'));
    return parts[0] && readName(parts[0], 'element') ? [this.element(parts[0])] : [];
  }
}

/** The content of a message is the value of its element, or an object with the values of several. */
function combine(parts: readonly Part[]): Pick<Message, 'elements' | 'schema' | 'isRequired'> {
  const elements = parts.map(({ element }) => element);
  const [only, ...others] = parts;
  if (!only) return { elements, schema: undefined, isRequired: false };
  if (others.length === 0) {
    const isEmpty = only.schema['type'] === 'object' && Object.keys(only.schema['properties'] ?? {}).length === 0;
    return { elements, schema: isEmpty ? undefined : only.schema, isRequired: only.element.type.startsWith('xs:') };
  }
  const properties = parts.map(({ element, schema }): [string, JsonSchema] => [element.key, schema]);
  return { elements, schema: { type: 'object', properties: Object.fromEntries(properties) }, isRequired: true };
}

function readFaults({ bound, abstract }: BoundOperation, reader: MessageReader): (Part & { name: string })[] {
  const described = xmlChildren(bound, wsdl, 'fault').map((fault) => xmlAttribute(fault, 'name'));
  return xmlChildren(abstract, wsdl, 'fault')
    .filter((fault) => described.includes(xmlAttribute(fault, 'name')))
    .flatMap((fault) => reader.fault(fault).map((part) => ({ ...part, name: xmlAttribute(fault, 'name') })));
}
