import type { Carried } from '#src/automation/connectors/calls/carry-credential.ts';
import { readValue, type Values } from '#src/automation/connectors/calls/values.ts';
import { checkDepth } from '#src/automation/formats/formats.ts';
import type { ApiCall, CallSoap } from '#src/automation/node-api/api-call.ts';
import { encodings, envelopes, passwordText, wsse, xsd, xsi } from './envelope-names.ts';
import { escapeAttribute, escapeXml } from './escape-xml.ts';
import { ValueWriter, wrong } from './write-value.ts';

export interface WrittenEnvelope {
  content: string;
  mediaType: string;
  headers: Record<string, string>;
}

/** Writes the envelope of a call, and the headers that name its action. */
export function writeEnvelope(
  { body, parameters }: ApiCall,
  soap: CallSoap,
  values: Values,
  usernameToken: Carried['usernameToken'],
): WrittenEnvelope {
  const writer = new ValueWriter(soap);
  const field = body?.field ?? 'body';
  const value = body && readValue(values, field);
  checkDepth(value);
  const headers = (soap.headers ?? []).map((element) => {
    const key = parameters.find((each) => each.in === 'envelope' && each.name === element.key)?.field;
    return key === undefined ? '' : writer.write(element, readValue(values, key), key);
  });
  const content = writeBody(soap, writer, value, field);
  const token = usernameToken ? [writeToken(usernameToken)] : [];
  const head = [...token, ...headers].join('');
  const named = [...writer.used].toSorted((a, b) => a - b).map((ns) => [`n${ns}`, soap.namespaces[ns] ?? ''] as const);
  const declared = [
    ['soap', envelopes[soap.version]] as const,
    ['xsi', xsi] as const,
    ...(soap.encoded === true
      ? ([
          ['xsd', xsd],
          ['enc', encodings[soap.version]],
        ] as const)
      : []),
    ...named,
  ].map(([prefix, uri]) => ` xmlns:${prefix}="${escapeAttribute(uri)}"`);
  const action = soap.action ?? '';
  return {
    content: `<?xml version="1.0" encoding="UTF-8"?>\n<soap:Envelope${declared.join('')}>${
      head === '' ? '' : `<soap:Header>${head}</soap:Header>`
    }<soap:Body>${content}</soap:Body></soap:Envelope>`,
    ...(soap.version === '1.1'
      ? { mediaType: 'text/xml; charset=utf-8', headers: { soapaction: `"${action}"` } }
      : {
          mediaType: `application/soap+xml; charset=utf-8${action === '' ? '' : `; action="${action}"`}`,
          headers: {},
        }),
  };
}

function writeBody({ input, encoded, version }: CallSoap, writer: ValueWriter, value: unknown, field: string): string {
  const [only, ...others] = input;
  if (!only) return '';
  if (others.length === 0) {
    const written = writer.write(only, value ?? (only.type.startsWith('xs:') ? '' : {}), field);
    return encoded === true ? written.replace(/(?=\/?>)/, ` soap:encodingStyle="${encodings[version]}"`) : written;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(field, 'must be an object.');
  const members = value as Readonly<Record<string, unknown>>;
  return input
    .map((element) =>
      writer.write(
        element,
        Object.hasOwn(members, element.key) ? members[element.key] : undefined,
        `${field}.${element.key}`,
      ),
    )
    .join('');
}

/** A UsernameToken of WS-Security 1.0 with the password as text, which is protected by https only. */
const writeToken = ({ username, password }: NonNullable<Carried['usernameToken']>): string =>
  `<wsse:Security xmlns:wsse="${wsse}" soap:mustUnderstand="1"><wsse:UsernameToken><wsse:Username>${escapeXml(username)}</wsse:Username><wsse:Password Type="${passwordText}">${escapeXml(password)}</wsse:Password></wsse:UsernameToken></wsse:Security>`;
