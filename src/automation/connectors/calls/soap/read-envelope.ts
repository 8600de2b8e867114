import { formatLimits } from '#src/automation/formats/formats.ts';
import type { CallSoap, SoapElement } from '#src/automation/node-api/api-call.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { parseXmlTree, xmlChildren, type XmlElement } from '#src/infra/xml/xml-tree.ts';
import { envelopes } from './envelope-names.ts';
import { readUntyped, ValueReader } from './read-value.ts';

/** A SOAP fault. Its members have the names of SOAP 1.1, also if the envelope is of SOAP 1.2. */
export interface SoapFault {
  faultcode: string;
  faultstring: string;
  faultactor?: string;
  /** The content of the detail, keyed by the name of the element: the described fault, or any other elements. */
  detail?: Record<string, unknown>;
}

export type ReadEnvelope =
  | { value: unknown }
  /** `described` is the element of the described fault that the detail contains. */
  | { fault: SoapFault; described: SoapElement | undefined };

const unreadable = (reason: string): NodeError => new NodeError('UNREADABLE', reason);

const limits = { depth: formatLimits.depth, elements: formatLimits.cells, fault: unreadable };

/** Reads the envelope of an answer, of either version of SOAP. Throws a NodeError for any other document. */
export function readEnvelope(text: string, soap: CallSoap, faults: readonly SoapElement[]): ReadEnvelope {
  const envelope = parseXmlTree(text.replace(/^\ufeff/, '').trimStart(), limits);
  const version = Object.values(envelopes).find((namespace) => namespace === envelope.namespace);
  if (envelope.name !== 'Envelope')
    throw unreadable(`The answer is XML with the root "${envelope.name.slice(0, 64)}" instead of an envelope.`);
  if (version === undefined)
    throw unreadable(
      `The answer is an envelope of "${envelope.namespace.slice(0, 150)}", and only SOAP 1.1 and 1.2 are read.`,
    );
  const [body] = xmlChildren(envelope, version, 'Body');
  if (!body) throw unreadable('The answer is an envelope without a body.');
  const reader = new ValueReader(soap, body);
  const [fault] = xmlChildren(body, version, 'Fault');
  return fault ? readFault(fault, soap, faults, reader) : { value: readBody(body, soap, reader) };
}

function readBody(body: XmlElement, { output, rpc }: CallSoap, reader: ValueReader): unknown {
  const [only, ...others] = output;
  const [first] = body.children;
  if (!only || !first) return null;
  if (rpc === true) return reader.read(only, first);
  const find = (element: SoapElement) => body.children.find(({ name }) => name === element.name);
  if (others.length === 0) return reader.read(only, find(only) ?? first);
  return Object.fromEntries(
    output.flatMap((element) => {
      const found = find(element);
      return found ? [[element.key, reader.read(element, found)]] : [];
    }),
  );
}

function readFault(
  fault: XmlElement,
  { namespaces }: CallSoap,
  faults: readonly SoapElement[],
  reader: ValueReader,
): ReadEnvelope {
  // The parts of a fault have no namespace in SOAP 1.1; in SOAP 1.2 they have other names and are nested.
  const part = (...path: string[]): XmlElement | undefined =>
    path.reduce<XmlElement | undefined>(
      (element, name) => element?.children.find((child) => child.name === name),
      fault,
    );
  const text = (element: XmlElement | undefined): string => element?.text.trim() ?? '';
  const detail = part('detail') ?? part('Detail');
  const actor = text(part('faultactor')) || text(part('Role'));
  const found = detail?.children.map((element) => ({
    element,
    described: faults.find(
      ({ name, ns }) => name === element.name && (ns === undefined ? '' : namespaces[ns]) === element.namespace,
    ),
  }));
  const contents = found?.map(({ element, described }): [string, unknown] =>
    described ? [described.key, reader.read(described, element)] : [element.name, readUntyped(element)],
  );
  return {
    fault: {
      faultcode: text(part('faultcode')) || text(part('Code', 'Value')),
      faultstring: text(part('faultstring')) || text(part('Reason', 'Text')),
      ...(actor !== '' && { faultactor: actor }),
      ...(contents && contents.length > 0
        ? { detail: Object.fromEntries(contents) }
        : detail && detail.text.trim() !== '' && { detail: { '#text': detail.text.trim() } }),
    },
    described: found?.find(({ described }) => described)?.described,
  };
}
