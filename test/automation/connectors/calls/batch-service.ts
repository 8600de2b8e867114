/** A write of a change set as the service read it. */
export interface ReadWrite {
  id: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

/** Splits a multipart body strictly: line breaks are CRLF, and the last delimiter ends it. */
function splitStrictly(body: string, type: string): { head: Record<string, string>; content: string }[] {
  const boundary = /^multipart\/mixed; boundary=(\S+)$/.exec(type)?.[1];
  if (boundary === undefined) throw new Error(`${type} is not multipart/mixed.`);
  const [preamble, ...parts] = `\r\n${body}`.split(`\r\n--${boundary}`);
  const end = parts.pop();
  if (preamble !== '' || end?.trim() !== '--')
    throw new Error('The multipart body does not begin or end with its delimiter.');
  return parts.map((part) => readHead(part.slice(2)));
}

function readHead(text: string): { head: Record<string, string>; content: string } {
  const [lines = '', ...rest] = text.split('\r\n\r\n');
  const head = lines.split('\r\n').map((line): [string, string] => {
    const [name = '', ...value] = line.split(': ');
    return [name.toLowerCase(), value.join(': ')];
  });
  return { head: Object.fromEntries(head), content: rest.join('\r\n\r\n') };
}

/** Reads a request of $batch that has one change set. Throws for anything that the protocol does not allow. */
export function readBatch(body: string, type: string): ReadWrite[] {
  const sets = splitStrictly(body, type);
  if (sets.length !== 1) throw new Error(`The batch has ${sets.length} parts.`);
  const [set] = sets;
  return splitStrictly(set?.content ?? '', set?.head['content-type'] ?? '').map(({ head, content }) => {
    if (head['content-type'] !== 'application/http' || head['content-transfer-encoding'] !== 'binary')
      throw new Error('A part is not HTTP.');
    const end = content.indexOf('\r\n');
    const [, method = '', path = ''] = /^([A-Z]+) (\S+) HTTP\/1\.1$/.exec(content.slice(0, end)) ?? [];
    const { head: headers, content: json } = readHead(content.slice(end + 2));
    if (Number(headers['content-length'] ?? 0) !== Buffer.byteLength(json)) throw new Error('The length is wrong.');
    return { id: head['content-id'] ?? '', method, path, headers, body: json === '' ? null : JSON.parse(json) };
  });
}

interface WrittenAnswer {
  id?: string;
  status: number;
  body?: unknown;
}

const http = ({ status, body }: WrittenAnswer): string => {
  const json = body === undefined ? '' : JSON.stringify(body);
  const type = body === undefined ? '' : 'Content-Type: application/json;charset=utf-8\r\n';
  return `HTTP/1.1 ${status} Text\r\n${type}Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
};

const part = ({ id, ...answer }: WrittenAnswer): string =>
  `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n${id === undefined ? '' : `Content-ID: ${id}\r\n`}\r\n${http(answer)}`;

/** Writes the answer to a change set: those of all writes, or the single one of a change set that failed. */
export function writeBatchAnswer(answers: readonly WrittenAnswer[] | WrittenAnswer) {
  const content =
    'status' in answers
      ? part(answers)
      : `Content-Type: multipart/mixed; boundary="set 1"\r\n\r\n${answers.map((each) => `--set 1\r\n${part(each)}\r\n`).join('')}--set 1--\r\n`;
  return {
    status: 202,
    type: 'multipart/mixed; boundary=answer_1',
    body: `--answer_1\r\n${content}\r\n--answer_1--\r\n`,
  };
}
