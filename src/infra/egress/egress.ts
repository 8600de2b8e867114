import type { Socket } from 'node:net';
import { Agent, Pool } from 'undici';
import type { AllowList } from './allow-list.ts';
import { decodeBody } from './body.ts';
import { boundRequest } from './bound-request.ts';
import { CertifiedAgents } from './certified-agents.ts';
import { assertAddress, type ClientCertificate, connectorFor, type Resolve } from './connector.ts';
import { type Download, download, type DownloadRequest } from './download.ts';
import { EgressError } from './errors.ts';
import { type Answer, exchange } from './exchange.ts';
import { openSocket, parseSocketTarget, type SocketRequest } from './open-socket.ts';
import { isRedirect, nextHop } from './redirect.ts';
import { type EgressRequest, type EgressResponse, firstHop, isStreamed } from './request.ts';
import { openBody, receiveFrom, toFailure } from './streamed.ts';
import { parseTarget, type Target, type TargetRules } from './target.ts';

export interface EgressOptions {
  /** `host:port` pairs that may be called although their address is private (see parseAllowList). Default: none. */
  allow?: AllowList;
  /** Default `['https:', 'http:']`. */
  protocols?: readonly string[];
  /** Ports that may be called. Default: 80, 443 and every port from 1024 up. */
  ports?: readonly number[];
  /** Name resolution for tests and unusual networks. Default: DNS, and the system's lookup for allowed hosts. */
  resolve?: Resolve;
  /** Certificate authorities in PEM instead of Node's own. */
  ca?: string;
  /** Limit for DNS resolution, connecting and TLS together. Default 5,000 ms. */
  connectTimeoutMs?: number;
  /** Limit for the whole request with its redirects, unless the request sets its own. Default 15,000 ms. */
  timeoutMs?: number;
  /** Largest response body, both as sent and decompressed, unless the request sets its own. Default 10 MiB. */
  maxBytes?: number;
  /** Largest request body. Default 10 MiB. */
  maxRequestBytes?: number;
  /** All response headers together. Default 16 KiB. */
  maxHeaderBytes?: number;
  /**
   * Open connections to one host. Further requests wait within their own timeout, including those of other tenants, so the default of 4,096
   * exceeds what callers, which limit their concurrency, ever have in flight.
   */
  connections?: number;
  /** Default `causeway`. */
  userAgent?: string;
}

export interface Egress {
  /**
   * Throws an EgressError for a URL that may never be called: a private address, a refused scheme or port. Each request checks the
   * addresses that its host name resolves to.
   */
  check(url: string, options?: Pick<EgressRequest, 'secure'>): void;
  /** Sends one request. Any status is a response; every failure is an EgressError. */
  request(request: EgressRequest): Promise<EgressResponse>;
  /** Sends a GET whose response is read as a stream, and follows no redirect. Every failure is an EgressError. */
  download(request: DownloadRequest): Promise<Download>;
  /** Throws an EgressError for a private address or a refused port. Each connection checks the addresses that its host name resolves to. */
  checkSocket(request: SocketRequest): void;
  /** Opens a TCP connection, for a protocol other than HTTP, to an address that was checked. Throws EgressError. */
  openSocket(request: SocketRequest): Promise<Socket>;
  /** The same egress with connections of its own, which must open within this time. Closing this egress closes them too. */
  connectingWithin(ms: number): Egress;
  /** Refuses new requests, waits for those in progress (each within its own timeout), then closes the connections. */
  close(): Promise<void>;
}

const defaultConnectMs = 5_000;
const defaultMaxBytes = 10 * 1024 * 1024;

const one = (value: string | string[] | undefined): string => (Array.isArray(value) ? value.join(',') : (value ?? ''));

const createAgent = (options: EgressOptions, certificate?: ClientCertificate): Agent => {
  const connectorOptions = {
    allow: options.allow ?? new Set<string>(),
    resolve: options.resolve,
    ca: options.ca,
    connectTimeoutMs: options.connectTimeoutMs ?? defaultConnectMs,
    certificate,
  };
  return new Agent({
    // A hostile tenant can name any number of hosts. Idle ones are dropped, so only hosts that are called at the same time count towards
    // this limit.
    maxOrigins: 4_096,
    connections: options.connections ?? 4_096,
    maxHeaderSize: options.maxHeaderBytes ?? 16 * 1024,
    // The request's own deadline covers both, and one timer is cheaper than three.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, poolOptions) =>
      new Pool(origin, { ...(poolOptions as Pool.Options), connect: connectorFor(new URL(origin), connectorOptions) }),
  });
};

const toResponse = ({ status, headers, body }: Answer, { href }: URL): EgressResponse => ({
  status,
  // In undici's object a header named `__proto__` would set the prototype; this one has no prototype.
  headers: Object.assign(Object.create(null) as EgressResponse['headers'], headers),
  body,
  url: href,
});

/** Decodes the content encoding of a response. */
async function decode(response: EgressResponse, bounds: { where: string; maxBytes: number }): Promise<void> {
  const { headers, body } = response;
  const encoding = one(headers['content-encoding']).trim().toLowerCase();
  if (encoding === '' || encoding === 'identity' || body.length === 0) return;
  response.body = await decodeBody(body, encoding, bounds);
  delete headers['content-encoding'];
  delete headers['content-length'];
}

const rememberedTargets = 1_000;

/** Parses each URL once: that is a tenth of the processor time of a small request, and webhooks go to the same ones again and again. */
function rememberTargets(parse: (url: string, secure: boolean) => Target): typeof parse {
  const known = { secure: new Map<string, Target>(), open: new Map<string, Target>() };
  return (url, secure) => {
    const targets = known[secure ? 'secure' : 'open'];
    let target = targets.get(url);
    if (!target) {
      if (targets.size >= rememberedTargets) targets.clear();
      targets.set(url, (target = parse(url, secure)));
    }
    return target;
  };
}

/**
 * All outbound requests go through here. It checks addresses on every connection, including those of redirects, and pools connections per
 * origin. Every stage is bounded: connecting, total time, headers, body as sent and decompressed.
 */
export const createEgress = (options: EgressOptions = {}): Egress => new CheckedEgress(options);

class CheckedEgress implements Egress {
  readonly #options: EgressOptions;
  readonly #agent: Agent;
  readonly #certified: CertifiedAgents;
  readonly #rules: TargetRules;
  readonly #requestLimits: { userAgent: string; maxRequestBytes: number };
  readonly #timeoutMs: number;
  readonly #maxBytes: number;
  readonly #resolveTarget: (url: string, secure: boolean) => Target;
  readonly #derived: Egress[] = [];
  #closed: Promise<void> | undefined;

  constructor(options: EgressOptions) {
    this.#options = options;
    this.#agent = createAgent(options);
    this.#certified = new CertifiedAgents((certificate) => createAgent(options, certificate));
    const rules = {
      allow: options.allow ?? new Set<string>(),
      protocols: options.protocols ?? ['https:', 'http:'],
      ports: options.ports,
    };
    this.#rules = rules;
    this.#requestLimits = {
      userAgent: options.userAgent ?? 'causeway',
      maxRequestBytes: options.maxRequestBytes ?? defaultMaxBytes,
    };
    this.#timeoutMs = options.timeoutMs ?? 15_000;
    this.#maxBytes = options.maxBytes ?? defaultMaxBytes;
    this.#resolveTarget = rememberTargets((url, secure) => parseTarget(rules, url, { secure }));
  }

  check(url: string, { secure = false }: Pick<EgressRequest, 'secure'> = {}): void {
    assertAddress(parseTarget(this.#rules, url, { secure }), this.#rules.allow);
  }

  // One function for all of it: as three, each of which awaited the next, a small request took 1.5 µs more.
  async request(input: EgressRequest): Promise<EgressResponse> {
    const { url: asked, query, secure = false, redirects = 0, maxBytes = this.#maxBytes, excerptBytes } = input;
    const certified = input.certificate && this.#certified.get(input.certificate);
    const first =
      typeof asked === 'string' && query === undefined
        ? this.#resolveTarget(asked, secure)
        : parseTarget(this.#rules, asked, { query, secure });
    let hop = firstHop(input, first, this.#requestLimits);
    const { cancellation, end } = boundRequest(input.timeoutMs ?? this.#timeoutMs, input.signal, first.where);
    try {
      for (let followed = 0; ; followed += 1) {
        const { origin, path, where, url } = hop.target;
        const { method } = hop;
        let response: EgressResponse;
        try {
          const { headers, body } = hop;
          const sent = isStreamed(body) ? await openBody(headers, body) : { headers, body };
          const answer = await exchange(
            certified && origin === first.origin ? certified : this.#agent,
            { origin, path, method, ...sent },
            {
              where,
              maxBytes: excerptBytes ?? maxBytes,
              isExcerpt: excerptBytes !== undefined,
              receive: input.receive && receiveFrom(input.receive, { url, where, redirects }),
            },
            cancellation,
          );
          response = toResponse(answer, url);
          if (excerptBytes === undefined) await decode(response, { where, maxBytes });
        } catch (error) {
          throw cancellation.reason ?? toFailure(error, hop, where);
        }
        const location = redirects === 0 ? '' : one(response.headers['location']);
        if (location === '' || !isRedirect(response.status)) return response;
        if (followed >= redirects) {
          throw new EgressError('too_many_redirects', `${first.where} redirects more than ${redirects} times.`);
        }
        hop = nextHop(hop, response.status, parseTarget(this.#rules, location, { base: url, secure }));
      }
    } finally {
      end();
    }
  }

  async download({ idleMs, signal, ...asked }: DownloadRequest): Promise<Download> {
    const target = parseTarget(this.#rules, asked.url, { secure: asked.secure ?? false });
    const headers = { ...asked.headers, 'accept-encoding': 'identity' };
    const hop = firstHop({ ...asked, headers }, target, this.#requestLimits);
    return download(this.#agent, hop, { idleMs, ...(signal && { signal }) });
  }

  checkSocket(to: SocketRequest): void {
    parseSocketTarget(this.#rules, to);
  }

  openSocket(to: SocketRequest): Promise<Socket> {
    const { resolve, connectTimeoutMs = defaultConnectMs } = this.#options;
    return openSocket(to, { allow: this.#rules.allow, resolve, connectTimeoutMs });
  }

  connectingWithin(connectTimeoutMs: number): Egress {
    const egress = createEgress({ ...this.#options, connectTimeoutMs });
    this.#derived.push(egress);
    return egress;
  }

  close(): Promise<void> {
    const parts = [this.#agent, this.#certified, ...this.#derived];
    return (this.#closed ??= Promise.all(parts.map((each) => each.close())).then(() => undefined));
  }
}
