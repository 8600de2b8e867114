import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ApiDescription, ApiOperation } from '#src/automation/connectors/descriptions/api-description.ts';
import { sampleAnswer } from './sample-answer.ts';

/** A server that is made from a description: it takes only requests that the description allows, and answers as it says. */
export interface DescribedServer {
  url: string;
  /** The operations that were called, by name. */
  called: string[];
  /** The faults of the requests so far, such as a missing member of a body. */
  faults: string[];
  close: () => Promise<void>;
}

/** Serves the operations, an OAuth token URL and, for every request, a check that it is authenticated. */
export async function serveDescription(description: ApiDescription): Promise<DescribedServer> {
  const called: string[] = [];
  const faults: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(request);
    const { method = '', url = '', headers } = request;
    const { pathname, searchParams } = new URL(url, 'http://described.example');
    response.setHeader('content-type', 'application/json');
    if (pathname.endsWith('/token')) {
      const form = new URLSearchParams(text);
      if (!/^(client_credentials|password)$/.test(form.get('grant_type') ?? ''))
        faults.push(`The token request: ${text}`);
      response.end(JSON.stringify({ access_token: 'access-token', token_type: 'bearer', expires_in: 600 }));
      return;
    }
    const body = parse(text);
    const operation = findOperation(description.operations, method, decodeURI(pathname), body);
    if (!operation) {
      faults.push(`No operation is described for ${method} ${pathname}.`);
      response.writeHead(404).end('{}');
      return;
    }
    const isFirst = !called.includes(operation.name);
    called.push(operation.name);
    faults.push(...findFaults(operation, description, { headers, searchParams, body }));
    const success = operation.answers.find(({ status }) => status.startsWith('2')) ?? operation.answers[0];
    const content = success?.content.find(({ mediaType }) => /json/.test(mediaType));
    // Lists are empty from the second request on, so that paging ends.
    const sample = content ? sampleAnswer(content.schema, description.definitions, { isEmpty: !isFirst }) : {};
    response.writeHead(/^\d+$/.test(success?.status ?? '') ? Number(success?.status) : 200);
    response.end(content || !success || success.content.length === 0 ? JSON.stringify(sample) : '');
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      faults.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    called,
    faults,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part as string;
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The most specific operation at a path, which may begin with the path of the API's address. */
function findOperation(
  operations: readonly ApiOperation[],
  method: string,
  path: string,
  body: unknown,
): ApiOperation | undefined {
  const fits = operations.filter((operation) => {
    if (operation.method.toUpperCase() !== method) return false;
    const query = operation.fixedBody?.['query'];
    if (query !== undefined) return (body as { query?: unknown } | undefined)?.query === query;
    const parts = operation.path.split('?')[0]?.split(/\{[^}]*\}/) ?? [];
    const escaped = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    return new RegExp(`${escaped.join('[^/]+')}$`, 'u').test(path);
  });
  return fits.toSorted((a, b) => b.path.length - a.path.length)[0];
}

interface Received {
  headers: IncomingMessage['headers'];
  searchParams: URLSearchParams;
  body: unknown;
}

function findFaults(
  { name, parameters, body, fixedBody, security }: ApiOperation,
  { definitions, security: schemes }: ApiDescription,
  { headers, searchParams, body: sent }: Received,
): string[] {
  const faults: string[] = [];
  const isAuthenticated = (scheme: string): boolean => {
    const described = schemes[scheme];
    if (described?.type !== 'api_key')
      return headers.authorization !== undefined || 'x-shopify-access-token' in headers;
    return described.in === 'header' ? described.name.toLowerCase() in headers : searchParams.has(described.name);
  };
  if (security.length > 0 && !security.some((alternative) => alternative.every(isAuthenticated)))
    faults.push(`${name} was called without a credential.`);
  for (const parameter of parameters) {
    const value = parameter.in === 'query' ? searchParams.get(parameter.name) : headers[parameter.name.toLowerCase()];
    if (parameter.required && (parameter.in === 'query' || parameter.in === 'header') && (value ?? '') === '')
      faults.push(`${name} was called without ${parameter.name}.`);
  }
  const content = body?.content.find(({ mediaType }) => /json/.test(mediaType));
  if (!content) return faults;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, inlineRefs: false });
  const check = ajv.compile({ ...content.schema, $defs: definitions });
  const { query: _, ...members } = (sent ?? {}) as Record<string, unknown>;
  if (!check(fixedBody ? members : sent))
    faults.push(...(check.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath} ${message}`));
  return faults;
}
